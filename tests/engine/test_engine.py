"""The compiled heart: it computes what plain Python does, never from old sources, wherever it is installed."""

import ast
import inspect
import itertools
import pathlib
import shutil
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import naive
import streams
from askance import queries, updates
from askance.jit.coins import coins
from askance.jit.interop import COMPILING
from askance.jit.source_digest import COMPILED
from askance.rules.registry import known_rules
from bit_patterns import patterns
from paths import SUPPORT
from processes import run_code, run_script

PACKAGE = pathlib.Path(askance.__file__).parent

# ---------------------------------------------------------------------- compiled = plain

PLAIN = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from bit_patterns import patterns
from askance.jit.interop import COMPILING
assert not COMPILING
for case in CASES:
    print(*patterns(*case))
"""


def test_the_digest_knows_every_file_that_rules_stand_in() -> None:
    assert all(any(PACKAGE.glob(pattern)) for pattern in COMPILED)
    known = {path for pattern in COMPILED for path in PACKAGE.glob(pattern)}
    files = {pathlib.Path(inspect.getfile(rule)) for rule in known_rules().values()}
    assert {path for path in files if path.parent.name != "kernel"} <= known  # dual forms are not compiled


def test_compiled_and_plain_agree_to_the_last_bit() -> None:
    """Of two names: the vectors are the same figures for compiled and plain runs of one name per form."""
    agree_to_the_last_bit([("PAA-II", "sparse"), ("MPAA-II", "dense")])


@pytest.mark.soak
def test_compiled_and_plain_agree_to_the_last_bit_by_every_name() -> None:
    agree_to_the_last_bit(list(itertools.product(askance.catalog, ("dense", "sparse"))))


def agree_to_the_last_bit(cases: list[tuple[str, str]]) -> None:
    assert COMPILING
    plain = run_code(f"CASES = {cases!r}\n{PLAIN}", NUMBA_DISABLE_JIT=1).splitlines()
    assert len(plain) == len(cases)
    for case, line in zip(cases, plain, strict=True):
        assert " ".join(patterns(*case)) == line, case


# ---------------------------------------------------------------------- coins


@pytest.mark.plain
@pytest.mark.compiled
def test_a_coin_is_a_function_of_seed_and_round_alone() -> None:
    whole = coins(7, 0, 1000)
    for first, count in ((0, 1), (1, 999), (500, 7), (999, 1), (3, 0)):
        assert np.array_equal(coins(7, first, count), whole[first : first + count])
    assert np.array_equal(coins(7, 0, 1000), whole)
    far = 2**62
    assert np.array_equal(coins(7, far, 10)[5:], coins(7, far + 5, 5))


@pytest.mark.plain
@pytest.mark.compiled
def test_coins_are_those_of_splitmix64() -> None:
    """Worked out with Python's own whole numbers."""

    def scramble(bits: int) -> int:
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        return bits ^ bits >> 31

    for random_state in (0, 1, 7, 2**63, 2**64 - 1):
        wanted = [
            scramble((scramble(random_state) + (t + 1) * 0x9E3779B97F4A7C15) % 2**64) >> 11 for t in range(20)
        ]
        assert coins(random_state, 0, 20).tolist() == [bits * 2.0**-53 for bits in wanted]


@pytest.mark.parametrize("random_state", [0, 1, 12345, 2**64 - 1])
def test_coins_are_uniform(random_state: int) -> None:
    """χ² over 100 cells, for single coins and for pairs of neighbours; the seeds are fixed, so it holds or not."""
    tossed = coins(random_state, 0, 100_000)
    assert tossed.min() >= 0
    assert tossed.max() < 1
    cells = (tossed * 100).astype(int)
    pairs = (tossed[::2] * 10).astype(int) * 10 + (tossed[1::2] * 10).astype(int)
    for found in (cells, pairs):
        expected = len(found) / 100
        # 99 degrees of freedom: between 52 and 161 but for one case in ten thousand.
        assert 52 < ((np.bincount(found, minlength=100) - expected) ** 2 / expected).sum() < 161


def test_coins_of_two_seeds_are_independent() -> None:
    seeds = [0, 1, 2, 3, 100, 2**32, 2**63]
    tossed = np.array([coins(random_state, 0, 20_000) for random_state in seeds])
    assert np.abs(np.corrcoef(tossed) - np.eye(len(seeds))).max() < 5 / np.sqrt(20_000)
    # Neither is one a shifted copy of another.
    assert not np.intersect1d(coins(0, 0, 10_000), coins(1, 0, 10_000)).size


@pytest.mark.plain
@pytest.mark.compiled
def test_a_learner_tosses_these_coins() -> None:
    made = streams.noisy()
    learner = askance.Learner(query=queries.Random(0.3), random_state=99, dtype="float64")
    first, second = learner.run(made.X[:50], made.y[:50]), learner.run(made.X[50:], made.y[50:])
    asked = np.r_[first.asked, second.asked]
    assert np.array_equal(asked, coins(99, 0, len(made.y)) < 0.3)
    decisions = [learner.ask(x).ask for x in made.X]
    assert np.array_equal(decisions, coins(99, len(made.y), len(made.y)) < 0.3)


def test_ask_tosses_the_right_coin_however_far_it_has_come() -> None:
    learner = askance.Learner(query=queries.Random(0.5), random_state=3, dtype="float64", classes=(-1, 1))
    decisions = [learner.ask([1.0]).ask for _ in range(2500)]
    assert np.array_equal(decisions, coins(3, 0, 2500) < 0.5)
    learner.run(np.ones((100, 1)), [1] * 100)
    assert learner.ask([1.0]).ask == (coins(3, 2600, 1)[0] < 0.5)


# ---------------------------------------------------------------------- machine code is never old

USE = """
import numpy as np
import askance
from askance.learners.core import LearnerCore
from askance.learners.settings import Settings
made = np.random.default_rng(0)
X, y = made.normal(size=(40, 3)), made.choice([-1, 1], 40)
settings = Settings(dtype="float64", classes=[-1, 1])
learner = LearnerCore(askance.updates.PassiveAggressive2(C=1.0), askance.queries.Always(), settings)
learner.learn(X, y)
assert askance.__file__.startswith(HOME), askance.__file__
print(learner.coef[0].tolist())
"""
# In the rule itself, and in what rules are written with.
EDITS = {
    "rules/update/passive_aggressive.py": ("norm + 1.0 / (2.0 * self.C)", "norm + 1.0 / (8.0 * self.C)"),
    "rules/update/weights.py": ("1.0 - label * seen.score", "2.0 - label * seen.score"),
}
DEEPER = {
    "rules/rows.py": ("state.move(j, self.values[t, j], step)", "state.move(j, 2 * self.values[t, j], step)"),
}
USE_KERNEL = """
import numpy as np
import askance
from askance.auto.models import new_scales
from askance.auto.rows import plain
from askance.jit.kernels import labelling
scales = new_scales(2, 0)
labelling.observe_all(plain(np.ones((5, 2))), scales)
assert askance.__file__.startswith(HOME), askance.__file__
print(scales.rows.tolist())
"""
# A kernel is in another file than the functions that it calls.
KERNEL_EDITS = {"jit/kernels/columns.py": ("    rows[0] += 1\n", "    rows[0] += 2\n")}
USE_ENGINE_KERNEL = """
import numpy as np
import askance
from askance.engine import packing
from askance.engine.arena import EMPTY, Arena, Models
numbers = np.full(1, 8, np.uint64), np.full(1, 3, np.uint64), np.ones(1, np.uint64)
models = Models(*numbers, np.zeros(1, np.uint64), np.zeros((1, 0), np.uint64))
slots = np.full(16, EMPTY), np.full((16, 1), 5, np.uint8)
arena = Arena(*slots, np.zeros(33, np.uint64), np.full(1, 16, np.uint64))
arena.features[9] = 2
_, _, content = packing.gather(models, arena, np.zeros(1, np.int64))
assert askance.__file__.startswith(HOME), askance.__file__
print(content[0].tolist())
"""
ENGINE_KERNEL_EDITS = {"engine/arena.py": ("= content[place, byte]\n", "= 2 * content[place, byte]\n")}


def compiled_files(cache: pathlib.Path) -> set[str]:
    return {path.name for path in cache.rglob("*.nbc")}


def own_copy(home: pathlib.Path) -> pathlib.Path:
    """A copy of the package whose sources may be edited."""
    return shutil.copytree(PACKAGE, home / "askance", ignore=shutil.ignore_patterns("__pycache__"))


def edits_count(tmp_path: pathlib.Path, edits: dict[str, tuple[str, str]], code: str = USE) -> list[str]:
    """What each edit makes of what is printed; with all of them undone, nothing is compiled again."""
    home, cache, use = tmp_path / "home", tmp_path / "cache", tmp_path / "use.py"
    package = own_copy(home)
    use.write_text(f"HOME = {str(home)!r}\n{code}")
    environment = {"PYTHONPATH": home, "NUMBA_CACHE_DIR": cache}
    found, files = [run_script(use, **environment)], [compiled_files(cache)]
    assert files[0]
    for file, (before, after) in edits.items():
        original = (package / file).read_text()
        assert original.count(before) == 1
        (package / file).write_text(original.replace(before, after))
        found.append(run_script(use, **environment))
        files.append(compiled_files(cache))
        (package / file).write_text(original)
    assert len(set(found)) == len(found)
    assert all(earlier < later for earlier, later in itertools.pairwise(files))
    assert run_script(use, **environment) == found[0]
    assert compiled_files(cache) == files[-1], "the sources as they were did not find their code again"
    return found


@pytest.mark.slow
def test_an_edited_rule_counts_at_once_and_a_revert_finds_its_code_again(tmp_path: pathlib.Path) -> None:
    first, edited, _ = edits_count(tmp_path, EDITS)
    assert ast.literal_eval(first) == pytest.approx(twin_of_use(C=1.0), abs=1e-9)
    assert ast.literal_eval(edited) == pytest.approx(twin_of_use(C=4.0), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "code"),
    [(KERNEL_EDITS, USE_KERNEL), (ENGINE_KERNEL_EDITS, USE_ENGINE_KERNEL)],
    ids=["jit", "engine"],
)
def test_an_edit_of_what_a_kernel_calls_counts_at_once(
    tmp_path: pathlib.Path, edits: dict[str, tuple[str, str]], code: str
) -> None:
    assert [ast.literal_eval(found) for found in edits_count(tmp_path, edits, code)] == [[5], [10]]


@pytest.mark.soak
def test_so_do_edits_of_what_passes_are_made_of(tmp_path: pathlib.Path) -> None:
    edits_count(tmp_path, DEEPER)


def twin_of_use(C: float) -> list[float]:
    made = np.random.default_rng(0)
    X, y = made.normal(size=(40, 3)), made.choice([-1, 1], 40)
    update, query, sgn0 = naive.ALGORITHMS["PA-II"](C=C)
    return naive.run(X, y, np.zeros(40), update, query, sgn0).w.tolist()


# ---------------------------------------------------------------------- rules of the users' own

OWN_RULE = """
from typing import NamedTuple
from askance.rules.update.weights import zero_weights

class Stubborn(NamedTuple):
    pace: float = 0.5

    def start(self, width, dtype):
        return zero_weights(width, dtype)

    def step(self, seen, label):
        return seen.prediction != label, label * self.pace * PACE

    def constraints(self):
        return {}
"""
USE_OWN = """
import numpy as np, askance
from askance.learners.core import LearnerCore
from askance.learners.settings import Settings
X, y = np.eye(3), np.array([-1, -1, 1])
settings = Settings(dtype="float64", classes=[-1, 1])
learner = LearnerCore(Stubborn(), askance.queries.Margin(), settings)
learner.run(X, y)
print(learner.coef[0].tolist())
"""


@pytest.mark.soak
def test_a_rule_in_a_script_is_noticed_when_edited(tmp_path: pathlib.Path) -> None:
    script, cache = tmp_path / "mine.py", tmp_path / "cache"
    text = "PACE = 1.0\n" + OWN_RULE + USE_OWN
    first = run_script(script, text, NUMBA_CACHE_DIR=cache)
    assert first.startswith("[-0.5, -0.5, 0.0]")
    assert run_script(script, NUMBA_CACHE_DIR=cache) == first
    edited = run_script(script, text.replace("PACE = 1.0", "PACE = 3.0"), NUMBA_CACHE_DIR=cache)
    assert edited.startswith("[-1.5, -1.5, 0.0]")
    assert run_script(script, text, NUMBA_CACHE_DIR=cache) == first


@pytest.mark.soak
def test_running_a_script_again_adds_nothing_to_the_cache(tmp_path: pathlib.Path) -> None:
    script, cache = tmp_path / "mine.py", tmp_path / "cache"
    run_script(script, "PACE = 1.0\n" + OWN_RULE + USE_OWN, NUMBA_CACHE_DIR=cache)
    code = compiled_files(cache)
    run_script(script, NUMBA_CACHE_DIR=cache)
    assert compiled_files(cache) == code


@pytest.mark.soak
def test_a_rule_in_a_module_is_noticed_when_edited(tmp_path: pathlib.Path) -> None:
    script, module, cache = (tmp_path / name for name in ("mine.py", "my_rules.py", "cache"))
    module.write_text("PACE = 1.0\n" + OWN_RULE)
    first = run_script(script, "from my_rules import Stubborn\n" + USE_OWN, NUMBA_CACHE_DIR=cache)
    assert first.startswith("[-0.5, -0.5, 0.0]")
    module.write_text("PACE = 3.0\n" + OWN_RULE)
    assert run_script(script, NUMBA_CACHE_DIR=cache).startswith("[-1.5, -1.5, 0.0]")


@pytest.mark.soak
def test_a_rule_in_a_module_is_no_trouble_to_programs_without_it(tmp_path: pathlib.Path) -> None:
    module, cache = tmp_path / "with" / "my_rules.py", tmp_path / "cache"
    module.parent.mkdir()
    module.write_text("PACE = 1.0\n" + OWN_RULE)
    run_script(module.with_name("mine.py"), "from my_rules import Stubborn\n" + USE_OWN, NUMBA_CACHE_DIR=cache)
    other = USE_OWN.replace("Stubborn()", "askance.updates.Perceptron()")
    assert run_script(tmp_path / "other.py", other, NUMBA_CACHE_DIR=cache).startswith("[")


@pytest.mark.soak
def test_a_helper_in_another_module_is_noticed_when_edited(tmp_path: pathlib.Path) -> None:
    script, helpers, cache = (tmp_path / name for name in ("mine.py", "helpers.py", "cache"))
    helper = "from askance.jit.interop import inlined\n@inlined\ndef pace(x):\n    return x * {}\n"
    helpers.write_text(helper.format("1.0"))
    rule = "from helpers import pace\n" + OWN_RULE.replace("self.pace * PACE", "pace(self.pace)")
    (tmp_path / "my_rules.py").write_text(rule)
    first = run_script(script, "from my_rules import Stubborn\n" + USE_OWN, NUMBA_CACHE_DIR=cache)
    assert first.startswith("[-0.5, -0.5, 0.0]")
    helpers.write_text(helper.format("3.0"))
    assert run_script(script, NUMBA_CACHE_DIR=cache).startswith("[-1.5, -1.5, 0.0]")


@pytest.mark.soak
def test_a_rule_without_a_source_works(tmp_path: pathlib.Path) -> None:
    """As typed at the prompt, or made by exec."""
    text = "PACE = 1.0\n" + OWN_RULE + USE_OWN
    assert run_code(text, NUMBA_CACHE_DIR=tmp_path).startswith("[-0.5, -0.5, 0.0]")
    code = f"exec({'PACE = 2.0' + OWN_RULE!r}, globals())\n{USE_OWN}"
    assert run_script(tmp_path / "made.py", code, NUMBA_CACHE_DIR=tmp_path).startswith("[-1.0, -1.0, 0.0]")


@pytest.mark.soak
def test_two_rules_of_one_shape_and_name_do_not_share_code(tmp_path: pathlib.Path) -> None:
    for folder, pace in (("one", 1.0), ("two", 3.0)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text(f"PACE = {pace}\n" + OWN_RULE)
    text = "import one, two\n" + "".join(
        f"Stubborn = {name}.Stubborn\n{USE_OWN}" for name in ("one", "two", "one", "two")
    )
    lines = run_script(tmp_path / "both.py", text, NUMBA_CACHE_DIR=tmp_path / "cache").splitlines()
    assert lines == ["[-0.5, -0.5, 0.0]", "[-1.5, -1.5, 0.0]"] * 2


def test_two_rules_of_one_name_are_refused() -> None:
    class Margin(queries.Margin):
        """Another rule of a known name."""

    class Own(queries.Margin):
        """A rule of a new name."""

    assert known_rules((Own, Own))["Own"] is Own
    assert known_rules((updates.Perceptron,)) == known_rules()
    with pytest.raises(ValueError, match="two rules are named Margin"):
        known_rules((Margin,))


# ---------------------------------------------------------------------- anywhere


FULL_DISK = """
import numba.core.caching as caching

def full(*_, **__):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile.save = full
PACE = 1.0
"""


@pytest.mark.soak
def test_without_a_place_for_a_cache_everything_works(tmp_path: pathlib.Path) -> None:
    """A read-only installation and home: here, files stand where the directories would be made."""
    home, file = tmp_path / "home", tmp_path / "file"
    package = own_copy(home)
    for directory in (package, *package.rglob("*/")):
        (directory / "__pycache__").touch()
    file.touch()
    text = f"HOME = {str(home)!r}\n{USE}PACE = 1.0\n{OWN_RULE}{USE_OWN}"
    nowhere = {"NUMBA_CACHE_DIR": file / "below", "HOME": file, "XDG_CACHE_HOME": file}
    found = run_script(tmp_path / "mine.py", text, PYTHONPATH=home, **nowhere).splitlines()
    assert ast.literal_eval(found[0]) == pytest.approx(twin_of_use(C=1.0), abs=1e-9)
    assert found[1].startswith("[-0.5, -0.5, 0.0]")
    assert not list(tmp_path.rglob("*.nb[ci]"))


@pytest.mark.soak
def test_a_cache_that_fails_later_is_done_without(tmp_path: pathlib.Path) -> None:
    """A directory that can be made but then takes no file, as on a full disk."""
    found = run_script(tmp_path / "mine.py", FULL_DISK + OWN_RULE + USE_OWN, NUMBA_CACHE_DIR=tmp_path / "cache")
    assert found.startswith("[-0.5, -0.5, 0.0]")


def test_importing_askance_takes_no_compiler_and_no_scikit_learn() -> None:
    loaded = run_code("import sys, askance; print(*sys.modules)").split()
    assert not {"numba", "sklearn", "scipy", "numpy", "pandas", "matplotlib", "typer", "rich"} & set(loaded)
    assert [name for name in loaded if name.split(".")[0] == "askance"] == ["askance"]
    catalog = run_code("import sys, askance; askance.catalog; print(*sys.modules)").split()
    assert not {"sklearn", "pandas", "matplotlib"} & set(catalog)


def test_only_jit_and_the_engine_import_numba() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] not in ("engine", "jit"):
            text = path.read_text()
            assert "import numba" not in text, path
            assert "from numba" not in text, path


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_relaxed_arithmetic_keeps_the_meaning_of_nan(form: Any) -> None:
    """Sums may be reordered in single precision, but NaN and infinity must still be found, wherever they stand."""
    for place in range(37):
        for value in (np.nan, np.inf, -np.inf):
            X = np.ones((1, 37), np.float32)
            X[0, place] = value
            with pytest.raises(ValueError, match="NaN"):
                askance.Learner(classes=(0, 1)).run(form(X), [1])
