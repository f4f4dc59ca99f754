"""The byte scanner of svmlight text: it reads rows from a block of complete lines in one compiled pass.

Most features look alike ("1686:-0.007654"), so each is first parsed as a *plain* one: eight bytes at a time,
without branches on its digits or its sign. If it is not plain, functions that know the whole grammar and every
error parse it again byte by byte.

Two rules keep the machine code fast. First, positions and words of eight bytes are unsigned, so that no index is
tested for being negative; words wrap around. Second, a function that takes the text reads from it on a straight
path and branches only on what it has read. The compiler can then remove the reference counting of the text, which
would take longer than the scanning.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.bits import trailing_zeros
from askance.jit.interop import inlined, persistent

# Bytes that must be readable after the text, because words are loaded without a check for its end.
PADDING = 32
# The text that the shortest row ("1\n"), feature (" 1:1") and undecided number (" 1e30") take up.
ROW_BYTES, FEATURE_BYTES, UNDECIDED_BYTES = 2, 4, 5

# Kinds of token, valid ones first. A scan ends at an invalid token. Only the caller detects HUGE_NUMBER.
NO_FAULT, LABEL, FEATURE, LINE_END = range(4)
BAD_LABEL, BAD_FEATURE, BAD_VALUE, UNORDERED, ZERO_INDEX, HUGE_INDEX, BAD_END, HUGE_NUMBER = range(4, 12)

Text = NDArray[np.uint8]
Position = np.uint64
Word = np.uint64


class Rows(NamedTuple):
    """The output of a scan: row i has the columns and values starts[i] to starts[i + 1] - 1.

    `undecided` lists the numbers that need an exact conversion, each with its slot in `values` (or -1 - row for
    a label) and the position of its token in the text.
    """

    labels: NDArray[np.float64]
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[Any]
    undecided: NDArray[np.int64]


class Scan(NamedTuple):
    """How much a scan found, and the error that ended it early, with the position of the invalid token."""

    rows: int
    nonzeros: int
    width: int
    lines: int
    undecided: int
    fault: int
    position: int


class Token(NamedTuple):
    """A token that was parsed byte by byte. `decided` says whether the value is certainly the nearest float."""

    kind: int
    column: int
    value: float
    decided: bool
    end: Position


def _each_byte(value: int) -> Word:
    return np.uint64(int.from_bytes(bytes([value] * 8), "little"))


TAB, NEWLINE, RETURN, SPACE, HASH, PLUS, MINUS, POINT, COLON = (np.uint8(ord(sign)) for sign in "\t\n\r #+-.:")
LOWER_E, UPPER_E = np.uint8(ord("e")), np.uint8(ord("E"))

# In compiled code, an unsigned number and a literal make a float, so every operand of a word is unsigned too.
U0, U1, U2, U3, U4, U5, U6, U7, U8, U9, U10 = (np.uint64(number) for number in range(11))
U16, U24, U32, U40, U48, U52, U56, U63, U64 = (np.uint64(bits) for bits in (16, 24, 32, 40, 48, 52, 56, 63, 64))
U_ZERO, U_COLON, U_POINT = (np.uint64(ord(sign)) for sign in "0:.")
QID = np.uint64(int.from_bytes(b"qid:", "little"))

LOW_BYTE, LOW_HALF, TOP_BIT = np.uint64(0xFF), np.uint64(0xFFFFFFFF), np.uint64(1 << 63)
ONES, ZERO_SIGNS, TOP_BITS = _each_byte(1), _each_byte(ord("0")), _each_byte(0x80)
FIFTH_BITS = _each_byte(0x10)  # set in every digit, not set in blanks and line ends
TO_TOP_BIT = _each_byte(0x80 - 10)  # carries into the top bit of a byte that exceeds nine
PAIRS = np.uint64(0xFF_000000FF)
ODD_PAIRS, EVEN_PAIRS = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))

LARGEST_EXACT = 2**53  # float64 is exact for all integers up to here, and for the powers of ten up to 22
TENS = np.array([10.0**power for power in range(23)])
WHOLE_TENS = np.array([10**power for power in range(9)], dtype=np.uint64)
# 10^k at position 2k and -10^k after it: dividing by one of them sets the sign too.
SIGNED_TENS = np.array([sign * 10.0**power for power in range(16) for sign in (1, -1)])
U_LARGEST_EXACT = np.uint64(LARGEST_EXACT)
# The length of a value that is not plain: one byte back there is a colon, where no value can end.
NOT_PLAIN = np.uint64(2**64 - 1)

LABEL_IS_NEXT = 2**31  # as the last column, it is larger than every column
LARGEST_COLUMN = 2**31 - 2  # the width, one more, still fits int32
ROOM_FOR_A_DIGIT = 9 * 10**17  # ten times this plus nine is still below 2^63
TOO_LONG = -1
# The powers of ten that are tried, so that every decided value fits float32.
SMALLEST_POWER, LARGEST_POWER, BEYOND_ALL_POWERS = -22, 19, 10**9
SLACK = 2.0**-40
SPLITTER = 2.0**27 + 1.0


@inlined
def _word(text: Text, position: Position) -> Word:
    """Eight bytes, the first one lowest. The compiler turns this into one load."""
    low = (
        np.uint64(text[position])
        | np.uint64(text[position + U1]) << U8
        | np.uint64(text[position + U2]) << U16
        | np.uint64(text[position + U3]) << U24
    )
    high = (
        np.uint64(text[position + U4]) << U32
        | np.uint64(text[position + U5]) << U40
        | np.uint64(text[position + U6]) << U48
        | np.uint64(text[position + U7]) << U56
    )
    return low | high


@inlined
def _signed(word: Word) -> int:
    return int(np.int64(word))


@inlined
def _non_digits(values: Word) -> Word:
    """The top bits of the bytes above nine; correct up to and including the first such byte."""
    return ((values + TO_TOP_BIT) | values) & TOP_BITS


@inlined
def _eight_digits(values: Word) -> Word:
    """The number with these bytes as its digits, the lowest byte first: joined in pairs, then all at once."""
    pairs = values * U10 + (values >> U8)
    return ((pairs & PAIRS) * ODD_PAIRS + ((pairs >> U16) & PAIRS) * EVEN_PAIRS) >> U32


@inlined
def _plain_index(word: Word, guess: Word) -> tuple[int, Word]:
    """Parse a plain index, up to seven digits and a colon: the index, or -1, and the bits of its digits.

    Indices ascend, so most have as many digits as the one before (`guess`). Using the guess instead of counting
    lets the processor work on several features at the same time.
    """
    values = word ^ ZERO_SIGNS
    bits = guess
    number = values << (U64 - bits)
    if (_non_digits(number) | (((word >> bits) ^ U_COLON) & LOW_BYTE)) != U0:
        bits = trailing_zeros(_non_digits(values) | TOP_BIT) - U7
        number = values << ((U64 - bits) & U63)
        if bits == U0 or (word >> bits) & LOW_BYTE != U_COLON:
            return -1, U8
    return _signed(_eight_digits(number)), bits


@inlined
def _plain_value(
    negative: Word, lead: Word, point: Word, tail: Word, more: Word, rest: Word
) -> tuple[float, Word]:
    """Parse a plain value, "1" or "-0.25" with up to fifteen decimals: the value, and its length or NOT_PLAIN.

    The words begin one byte after the first digit (`lead`), three bytes after the position of the sign, and two
    and ten bytes after the first digit. The end is found in `tail`, which does not depend on the sign: signs are
    random, so the next feature must not wait for one. The caller checks that a blank follows.
    """
    if point & LOW_BYTE != U_POINT:
        if lead - U_ZERO > U9:
            return 0.0, NOT_PLAIN
        return float(_signed(lead - U_ZERO)) / SIGNED_TENS[negative], U1 + negative
    end = trailing_zeros(~tail & FIFTH_BITS)  # the fifth bit of a byte, or 64
    if end > U52 + U8 * negative:
        return _long_fraction(negative, lead - U_ZERO, more ^ ZERO_SIGNS, rest)
    # The first digit replaces the point, so that there are at most eight digits.
    values = ((point + lead - U_POINT) ^ ZERO_SIGNS) << (U52 + U8 * negative - end)
    if _non_digits(values) != U0:
        return 0.0, NOT_PLAIN
    return float(_signed(_eight_digits(values))) / SIGNED_TENS[(end >> U2) + U1 - negative], U3 + (end >> U3)


@inlined
def _long_fraction(negative: Word, lead: Word, values: Word, more: Word) -> tuple[float, Word]:
    """The same for eight decimals and up to seven more."""
    digits = trailing_zeros(~more & FIFTH_BITS | TOP_BIT) >> U3
    rest = ((more ^ ZERO_SIGNS) << U8) << (U56 - U8 * digits)
    mantissa = (lead * WHOLE_TENS[U8] + _eight_digits(values)) * WHOLE_TENS[digits] + _eight_digits(rest)
    if lead > U9 or (_non_digits(values) | _non_digits(rest)) != U0 or mantissa > U_LARGEST_EXACT:
        return 0.0, NOT_PLAIN
    return float(_signed(mantissa)) / SIGNED_TENS[U2 * (U8 + digits) + negative], U10 + digits + negative


@inlined
def _plain_features(
    text: Text, position: Position, first_index: int, last: int, slot: np.uint64, rows: Rows
) -> tuple[Position, int, np.uint64]:
    """Store features as long as they are plain; return where they end, the last column and the next slot."""
    guess = U8
    while True:
        index, bits = _plain_index(_word(text, position), guess)
        start = position + (bits >> U3) + U1
        negative = np.uint64(text[start] == MINUS)
        first = start + negative
        value, length = _plain_value(
            negative,
            np.uint64(text[first]),
            _word(text, first + U1),
            _word(text, start + U3),
            _word(text, first + U2),
            _word(text, first + U10),
        )
        end = text[start + length]
        if end > SPACE or index - first_index <= last:
            break
        guess, last = bits, index - first_index
        rows.columns[slot] = last
        rows.values[slot] = value
        slot += U1
        position = start + length
        if end != SPACE:
            break
        position += U1
    return position, last, slot


@inlined
def _is_digit(byte: np.uint8) -> bool:
    return bool(np.uint64(byte) - U_ZERO <= U9)


@inlined
def _is_sign(byte: np.uint8) -> bool:
    return bool((byte == MINUS) | (byte == PLUS))


@inlined
def _is_blank(byte: np.uint8) -> bool:
    return bool((byte == SPACE) | (byte == TAB))


@inlined
def _ends_line(byte: np.uint8) -> bool:
    return bool((byte == NEWLINE) | (byte == RETURN) | (byte == HASH))


@inlined
def _ends_token(byte: np.uint8) -> bool:
    return _is_blank(byte) or _ends_line(byte)


@inlined
def _after_blanks(text: Text, position: Position) -> Position:
    while _is_blank(text[position]):
        position += U1
    return position


@inlined
def _after_comment(text: Text, position: Position) -> Position:
    stop = NEWLINE if text[position] == HASH else text[position]
    while text[position] != stop:
        position += U1
    return position


@inlined
def _digits(text: Text, position: Position, number: int) -> tuple[int, Position]:
    """Append the digits at `position` to `number`, or return TOO_LONG, and skip them."""
    byte = text[position]
    while _is_digit(byte):
        number = _appended(number, _signed(np.uint64(byte) - U_ZERO))
        position += U1
        byte = text[position]
    return number, position


@inlined
def _appended(number: int, digit: int) -> int:
    return 10 * number + digit if 0 <= number < ROOM_FOR_A_DIGIT else TOO_LONG


@inlined
def _product_and_error(a: float, b: float) -> tuple[float, float]:
    """a × b as a rounded product and exactly what the rounding lost (Dekker 1971)."""
    a_high = a * SPLITTER - (a * SPLITTER - a)
    b_high = b * SPLITTER - (b * SPLITTER - b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inlined
def _scaled(mantissa: int, power: int) -> tuple[float, bool]:
    """mantissa × 10^power rounded to the nearest float64, and whether that is certain.

    One rounding of exact numbers is certain. Otherwise the result and the rest that it lacks are computed apart,
    and it is certain unless changing the rest by more than its own error would round the sum to another number.
    """
    high, ten = float(mantissa), TENS[abs(power)]
    if mantissa <= LARGEST_EXACT:
        return high / ten if power < 0 else high * ten, True
    low = float(mantissa - int(high))
    if power < 0:
        near = high / ten
        product, error = _product_and_error(near, ten)
        rest = (high - product - error + low) / ten
    else:
        near, error = _product_and_error(high, ten)
        rest = error + low * ten
    return near + rest, near + rest * (1.0 - SLACK) == near + rest * (1.0 + SLACK)


@inlined
def _value(mantissa: int, power: int, negative: bool) -> tuple[float, bool]:
    if mantissa == TOO_LONG or power < SMALLEST_POWER or power > LARGEST_POWER:
        return 0.0, False
    value, decided = _scaled(mantissa, power)
    return -value if negative else value, decided


@inlined
def _exponent(text: Text, position: Position) -> tuple[int, bool, Position]:
    """The exponent after an "e" (0 if there is no "e"), whether it is well formed, and where it ends."""
    mark, sign = text[position], text[position + U1]
    marked = np.uint64((mark == LOWER_E) | (mark == UPPER_E))
    signed = marked * np.uint64(_is_sign(sign))
    start = position + marked + signed
    exponent, end = _digits(text, start, 0)
    size = BEYOND_ALL_POWERS if exponent == TOO_LONG else exponent
    return -size if signed == U1 and sign == MINUS else size, bool(marked == U0 or end > start), end


@inlined
def _number(text: Text, position: Position) -> tuple[float, bool, Position]:
    """The number at `position`, whether it is decided, and its end, which is `position` if there is no number."""
    sign = text[position]
    start = position + np.uint64(_is_sign(sign))
    mantissa, point = _digits(text, start, 0)
    fraction = point + np.uint64(text[point] == POINT)
    mantissa, mark = _digits(text, fraction, mantissa)
    exponent, formed, end = _exponent(text, mark)
    ended = _ends_token(text[end])
    value, decided = _value(mantissa, exponent - _signed(mark - fraction), sign == MINUS)
    digits = (point - start) + (mark - fraction)
    return value, decided, end if formed and ended and digits > U0 else position


@inlined
def _after_query(text: Text, position: Position) -> Position:
    """Skip a query number ("qid:7"), if there is one."""
    marked = _word(text, position) & LOW_HALF == QID
    start = position + U4 * np.uint64(marked)
    _, end = _digits(text, start, 0)
    ended = _ends_token(text[end])
    return end if marked and ended and end > start else position


@inlined
def _label(text: Text, position: Position) -> Token:
    value, decided, end = _number(text, position)
    after = _after_query(text, _after_blanks(text, end))
    return Token(LABEL if end > position else BAD_LABEL, 0, value, decided, after)


@inlined
def _feature(text: Text, position: Position, first_index: int, last: int) -> Token:
    index, colon = _digits(text, position, 0)
    paired = text[colon] == COLON
    value, decided, end = _number(text, colon + U1)
    column = LARGEST_COLUMN + 1 if index == TOO_LONG else index - first_index
    kind = _feature_kind(column, last, bool(paired and colon > position), bool(end > colon + U1))
    return Token(kind, column, value, decided, end)


@inlined
def _feature_kind(column: int, last: int, paired: bool, valued: bool) -> int:
    if not paired:
        return BAD_FEATURE
    if column > LARGEST_COLUMN:
        return HUGE_INDEX
    if column < 0:
        return ZERO_INDEX
    if column <= last:
        return UNORDERED
    return FEATURE if valued else BAD_VALUE


@inlined
def _line_end(text: Text, position: Position) -> Token:
    """A comment and the line's end, which must be "\\n" or "\\r\\n"."""
    end = _after_comment(text, position)
    newline = end + np.uint64(text[end] == RETURN)
    ended = text[newline] == NEWLINE
    return Token(LINE_END if ended else BAD_END, 0, 0.0, True, newline + U1)


def _scan(text: Text, size: np.uint64, first_index: int, rows: Rows) -> Scan:
    """Scan text[:size], which ends with a newline and is followed by PADDING bytes."""
    position, row, slot = U0, U0, U0
    last, width, lines, undecided, fault = LABEL_IS_NEXT, 0, 0, 0, NO_FAULT
    rows.starts[row] = 0
    while position < size:
        if last != LABEL_IS_NEXT:
            position, last, slot = _plain_features(text, position, first_index, last, slot, rows)
        position = _after_blanks(text, position)
        if _ends_line(text[position]):
            token = _line_end(text, position)
        elif last == LABEL_IS_NEXT:
            token = _label(text, position)
        else:
            token = _feature(text, position, first_index, last)
        if token.kind > LINE_END:
            fault = token.kind
            break
        if not token.decided:
            rows.undecided[undecided, 0] = _signed(slot) if token.kind == FEATURE else -1 - _signed(row)
            rows.undecided[undecided, 1] = _signed(position)
            undecided += 1
        if token.kind == FEATURE:
            last = token.column
            rows.columns[slot] = last
            rows.values[slot] = token.value
            slot += U1
        elif token.kind == LABEL:
            last = -1
            rows.labels[row] = token.value
        else:
            lines += 1
            if last != LABEL_IS_NEXT:
                width = max(width, last + 1)
                row += U1
                rows.starts[row] = _signed(slot)
                last = LABEL_IS_NEXT
        position = token.end
    return Scan(_signed(row), _signed(slot), width, lines, undecided, fault, _signed(position))


scan = persistent(_scan, exact=True)
