"""Data sets by name: the register, where they are found, and what papers made of them."""

import bz2
import gzip
import os
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from askance.datasets import PAPERS, REGISTER, Entry, File, Table, Use, find, load, prepare
from askance.datasets.checksums import digest, write_checksum
from askance.datasets.finding import cache_directory, look_for
from askance.datasets.steps import Divided, FilledRows, Labelled, Standardised, UnitFeatures, UnitRows
from askance.errors import DataError, DataWarning


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory that ASKANCE_DATA names, with an empty cache elsewhere."""
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def add(monkeypatch):
    """Adds a small data set to the register."""

    def add(name, rows, features, classes=2, **more):
        entry = Entry("made up", rows, features, classes, "https://example.org/", "none", **more)
        monkeypatch.setitem(REGISTER, name, entry)

    return add


def write_npz(directory, name, X, y, **more):
    X = sp.csr_array(np.asarray(X, dtype=np.float32))
    arrays = {
        "data": X.data,
        "indices": X.indices,
        "indptr": X.indptr.astype(np.int64),
        "shape": np.array(X.shape),
    }
    np.savez(directory / f"{name}.npz", **arrays, y=np.asarray(y, dtype=np.int16), **more)
    return directory / f"{name}.npz"


def put_into_cache(name, file, content):
    path = cache_directory() / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    write_checksum(path, digest(path))
    return path


@pytest.mark.parametrize("name", REGISTER)
def test_an_entry_of_the_register_is_sound(name):
    entry = REGISTER[name]
    assert re.fullmatch(r"[a-z0-9_]+", name)
    assert entry.about
    assert entry.licence
    assert entry.page.startswith(("http://", "https://"))
    assert entry.rows > 0
    assert all(count is None or count > 1 for count in (entry.features, entry.classes))
    assert (entry.classes is None) == (entry.holds != "labelled rows")
    assert not set(entry.samples) & set(REGISTER)
    for file in entry.files:
        assert file.url.startswith("https://")
        assert re.fullmatch(r"[\w.-]+", file.name)
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    assert len({file.name for file in entry.files}) == len(entry.files)
    for paper, use in entry.uses.items():
        assert paper.partition("-")[0] in PAPERS
        assert use.words
        assert all(other in REGISTER for other in use.joined)
        if use.joined:
            assert use.rows == entry.rows + sum(REGISTER[other].rows for other in use.joined)


def test_every_paper_has_a_data_set():
    assert {paper.partition("-")[0] for entry in REGISTER.values() for paper in entry.uses} == set(PAPERS)


def test_no_checksum_is_known_but_the_published_one():
    from sklearn.datasets import _covtype, _kddcup99

    known = {file.url: file.sha256 for entry in REGISTER.values() for file in entry.files if file.sha256}
    published = (_covtype.ARCHIVE, _kddcup99.ARCHIVE_10_PERCENT)
    assert known == {archive.url: archive.checksum for archive in published}


def test_directories_come_before_the_cache_in_their_order_and_npz_before_text(here, tmp_path, monkeypatch, add):
    add("toy", 2, 1, files=(File("https://example.org/toy.svm"),))
    second = tmp_path / "second"
    second.mkdir()
    monkeypatch.setenv("ASKANCE_DATA", os.pathsep.join(["", str(tmp_path / "missing"), str(here), str(second)]))
    cached = put_into_cache("toy", "toy.svm", b"1 1:1\n-1 1:2\n")
    assert find("toy")[1:3] == ((cached,), "cache")
    for path in (second / "toy.csv", second / "toy.npz", here / "toy.svm.gz", here / "toy.npz"):
        path.write_bytes(b"x")
        assert find("toy")[1:3] == ((path,), "ASKANCE_DATA")


def test_a_public_file_may_lie_in_a_directory_under_its_own_name(here, add):
    add("toy", 3, 2, files=(File("https://example.org/toy-train"), File("https://example.org/toy-test")))
    (here / "toy-train").write_text("1 1:1\n-1 1:2\n")
    assert look_for("toy") is None  # only all of its files are the data set
    (here / "toy-test").write_text("1 2:5\n")
    X, y = load("toy")
    assert X.toarray().tolist() == [[1, 0], [2, 0], [0, 5]]
    assert y.tolist() == [1, -1, 1]


def test_a_public_file_in_a_directory_must_have_the_published_checksum(here, add):
    add("toy", 2, 1, files=(File("https://example.org/toy-train", sha256="0" * 64),))
    (here / "toy-train").write_text("1 1:1\n-1 1:2\n")
    with pytest.raises(DataError, match="is not the public file, its sha256 is not the published one"):
        load("toy")
    (here / "toy.svm").write_text("1 1:1\n-1 1:2\n")  # a file of one's own has none
    load("toy")


def test_reading_tells_its_progress(here, add):
    add("toy", 5000, 1)
    write_npz(here, "toy", np.ones((5000, 1)), [1, -1] * 2500)
    reports = []
    prepare("toy", progress=lambda *report: reports.append(report))
    assert reports == [(done, 10_000, "toy.npz") for done in (4096, 8192, 10_000)]


def test_the_cache_is_in_the_users_cache_directory_unless_said(monkeypatch, tmp_path):
    monkeypatch.delenv("ASKANCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "askance"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "askance"


def test_a_cached_file_without_a_seal_is_not_found_and_a_changed_one_is_refused(here, add):
    add("toy", 1, 1, files=(File("https://example.org/toy.svm"),))
    path = put_into_cache("toy", "toy.svm", b"1 1:1\n")
    path.write_bytes(b"1 1:2\n")
    with pytest.raises(DataError, match=r"has changed since it was fetched, .* fetch it again"):
        load("toy")
    (path.parent / "toy.svm.sha256").unlink()
    assert look_for("toy") is None
    with pytest.raises(DataError, match="`askance data fetch toy`"):
        find("toy")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a8", "there is no data set 'a8': did you mean a8a"),
        ("nothing_like_it", "see `askance data list`, or put nothing_like_it.npz"),
        ("a8a", "a8a is not on this machine: get it with `askance data fetch a8a`, or put a8a.npz"),
        ("gisette", "make it from https://archive.ics.uci.edu/dataset/170/gisette and put gisette.npz"),
        ("covtype_10k", "covtype_10k, a part of covtype, is not on this machine: put covtype_10k.npz"),
        ("../a8a", "'../a8a' is not the name of a data set"),
        ("", "'' is not the name of a data set"),
        (8, "8 is not the name of a data set"),
    ],
)
def test_what_is_not_here_gets_a_sentence_that_says_how_to_get_it(here, name, said):
    for look in (find, load):
        with pytest.raises(DataError) as fault:
            look(name)
        assert said in str(fault.value)
        assert "\n" not in str(fault.value)


def test_a_part_that_is_here_is_named_but_never_taken_for_the_whole(here):
    write_npz(here, "covtype_20k", np.ones((7, 54)), range(7))
    with pytest.raises(DataError, match=r"covtype is not on this machine.*; a part of it is here as covtype_20k"):
        load("covtype")
    with pytest.warns(DataWarning, match="covtype_20k, a part of the data set, has 7 rows here, 581,012 in the"):
        X, _ = load("covtype_20k")
    assert X.shape == (7, 54)


def test_rows_are_float32_and_a_file_of_the_right_size_gives_no_notice(here, add):
    add("toy", 3, 2)
    write_npz(here, "toy", [[1, 2], [0, 0], [3, 0]], [-1, 1, -1])
    X, y = load("toy")
    assert X.format == "csr"
    assert X.dtype == np.float32
    assert y.dtype == np.int64
    assert X.toarray().tolist() == [[1, 2], [0, 0], [3, 0]]
    assert y.tolist() == [-1, 1, -1]


def test_a_name_that_only_a_file_has_is_loaded_as_it_is(here):
    (here / "mine.csv").write_text("a,b,label\n1,0,ham\n0,2,spam\n0,3,eggs\n")
    X, y = load("mine")
    assert X.toarray().tolist() == [[1, 0], [0, 2], [0, 3]]
    assert y.tolist() == [1, 2, 0]
    with pytest.raises(DataError, match="does not know mine in it: load it without a paper"):
        load("mine", "lu2016")


def test_a_seed_gives_a_random_order_that_is_the_same_again(here, add):
    add("toy", 50, 1)
    write_npz(here, "toy", np.arange(1, 51)[:, None], [-1, 1] * 25)
    X, y = load("toy", random_state=7)
    assert sorted(X.data) == list(range(1, 51))
    assert X.data.tolist() != list(range(1, 51))
    assert np.array_equal(y, np.where(X.data % 2 == 1, -1, 1))
    assert np.array_equal(load("toy", random_state=7)[0].data, X.data)
    assert not np.array_equal(load("toy", random_state=8)[0].data, X.data)
    for random_state in (-1, 0.5, "7"):
        with pytest.raises(DataError, match=r"random_state=.*: give a whole number"):
            load("toy", random_state=random_state)


def test_unit_rows(here):
    write_npz(here, "a8a", [[3, 4], [0, 0], [0, 2]], [1, -1, 1])
    assert prepare("a8a").X.toarray().tolist() == [[3, 4], [0, 0], [0, 2]]
    X, y, notes = prepare("a8a", "lu2016")
    np.testing.assert_allclose(X.toarray(), [[0.6, 0.8], [0, 0], [0, 1]], rtol=1e-6)
    assert y.tolist() == [1, -1, 1]
    assert notes == ["a8a has 3 rows and 2 features here, 22,696 and 123 in the register"]


def test_unit_rows_of_values_whose_squares_do_not_fit():
    X = sp.csr_array(np.array([[1e30, 1e30]], dtype=np.float32))
    made = UnitRows(stated=True).do(Labelled(X, np.array([1])), np.random.default_rng(0))
    np.testing.assert_allclose(made.X.toarray(), [[0.5**0.5] * 2], rtol=1e-6)


def test_unit_features():
    X = sp.csr_array(np.array([[2.0, 0.0, -4.0], [-1.0, 0.0, 3.0]], dtype="float32"))
    made = UnitFeatures().do(Labelled(X, np.array([1, -1])), np.random.default_rng(0))
    assert made.X.toarray().tolist() == [[1, 0, -1], [-0.5, 0, 0.75]]
    assert made.X.dtype == np.float32


def test_divided_values_standardised_features_and_rows_that_are_not_empty():
    X = sp.csr_array(np.array([[2.0, 5.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 0.0]], dtype="float32"))
    data, random = Labelled(X, np.array([1, -1, 1])), np.random.default_rng(0)
    assert Divided(2.0).do(data, random).X.toarray().tolist() == [[1, 2.5, 0], [2, 2.5, 0], [0, 0, 0]]
    kept = FilledRows().do(data, random)
    assert kept.X.toarray().tolist() == [[2, 5, 0], [4, 5, 0]]
    assert kept.y.tolist() == [1, -1]
    made = Standardised().do(kept, random).X
    assert made.toarray().tolist() == [[-1, 0, 0], [1, 0, 0]]
    assert made.dtype == np.float32


def test_one_of_several_arrays_of_labels_and_several_classes_at_once(here):
    rows = np.arange(1.0, 7)[:, None] * np.ones(118)
    write_npz(here, "kddcup99_10pct", rows, [1, 1, -1, 1, 1, -1], y_multi=np.array([2, 9, 11, 22, 8, 11]))
    X, y, _ = prepare("kddcup99_10pct", "yan2017-r2l")
    assert y.tolist() == [1, -1, 1, 1, -1]
    np.testing.assert_allclose(X.toarray()[:, 5], np.array([1, 3, 4, 5, 6]) / 6, rtol=1e-6)


def test_presence(here):
    write_npz(here, "spam_corpus", [[3, 0, 1], [0, 0.5, 0]], [1, -1])
    assert prepare("spam_corpus", "dada2021").X.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]


def test_a_class_pair_by_numbers(here):
    write_npz(here, "covtype_10k", np.arange(1, 9)[:, None] * np.ones(54), [0, 4, 1, 6, 4, 0, 2, 0])
    X, y, _ = prepare("covtype_10k", "yan2017")
    assert (8 * X.toarray()[:, 0]).tolist() == [1, 2, 5, 6, 8]
    assert y.tolist() == [-1, 1, 1, -1, -1]


def test_a_class_pair_by_the_beginnings_of_names(here):
    names = ["comp.graphics", "comp.windows.x", "rec.autos", "sci.space"]
    write_npz(here, "20newsgroups", np.eye(5), [3, 0, 2, 1, 2], label_names=np.array(names))
    X, y, notes = prepare("20newsgroups", "lu2016-comp-rec")
    assert X.indices.tolist() == [1, 2, 3, 4]
    assert y.tolist() == [1, -1, 1, -1]
    assert (
        "20newsgroups as in lu2016-comp-rec has 4 rows and 5 features here, 8,870 and 26,214 in the paper" in notes
    )
    assert prepare("20newsgroups", "lu2016-rec-sci").y.tolist() == [-1, 1, 1]


def test_class_pairs_that_cannot_be_made(here):
    write_npz(here, "20newsgroups", np.eye(3), [0, 1, 2])
    with pytest.raises(DataError, match="the file does not name its classes"):
        prepare("20newsgroups", "lu2016-comp-rec")
    write_npz(here, "covtype_10k", np.ones((2, 54)), [0, 1])
    with pytest.raises(DataError, match=r"class 5 .* the file has no row of one of them"):
        prepare("covtype_10k", "yan2017")


def test_one_class_against_the_rest(here):
    write_npz(here, "aloi", np.eye(4), [0, 1, 0, 999])
    assert prepare("aloi", "yan2017").y.tolist() == [1, -1, 1, -1]


def test_a_random_class_against_as_many_others(here):
    y = np.repeat(np.arange(10), 6)
    write_npz(here, "usps", np.diag(np.arange(1, 61)), y)
    with pytest.raises(DataError, match="usps as in nguyen2011 is drawn at random: give a random_state"):
        prepare("usps", "nguyen2011")
    chosen = set()
    for random_state in range(8):
        X, made, _ = prepare("usps", "nguyen2011", random_state)
        assert np.count_nonzero(made == 1) == np.count_nonzero(made == -1) == 6
        assert len(np.unique(X.indices)) == 12
        digits = y[X.indices]
        assert len(set(digits[made == 1])) == 1
        assert digits[made == 1][0] not in digits[made == -1]
        chosen.add(int(digits[made == 1][0]))
    assert len(chosen) > 1
    assert np.array_equal(prepare("usps", "nguyen2011", 7).X.toarray(), X.toarray())


def test_a_sample(here):
    write_npz(here, "connect4", np.ones((10_005, 126)), np.arange(10_005) % 3)
    X, y, _ = prepare("connect4", "yan2017", 1)
    assert X.shape == (10_000, 126)
    assert len(y) == 10_000
    write_npz(here, "connect4", np.ones((30, 126)), np.arange(30) % 3)
    with pytest.raises(DataError, match="there are 30 rows, not the 10,000 to be drawn"):
        prepare("connect4", "yan2017", 1)


def test_rows_that_follow_from_another_file(here):
    write_npz(here, "w8a", [[1, 0], [0, 1]], [1, -1])
    assert "w8a as in yan2017 lacks the rows of w8a_test, which is not on this machine" in (
        prepare("w8a", "yan2017").notes
    )
    write_npz(here, "w8a_test", [[0, 0, 1]], [1])
    X, y, notes = prepare("w8a", "yan2017")
    assert X.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert y.tolist() == [1, -1, 1]
    assert "w8a as in yan2017 has 3 rows and 3 features here, 64,700 and 300 in the paper" in notes


def test_load_warns_of_every_difference(here):
    write_npz(here, "basehock", [[1, 2]] * 2, [1, -1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load("basehock", "dada2021")
    assert [str(warning.message) for warning in caught] == prepare("basehock", "dada2021").notes
    assert {warning.category for warning in caught} == {DataWarning}
    assert {warning.filename for warning in caught} == {__file__}


def test_an_unknown_paper_is_refused_before_anything_is_read(here):
    with pytest.raises(DataError, match=r"paper='hoi': .* give one of 'lu2016', 'lu2016-filled', 'yan2017'"):
        load("w8a", "hoi")


@pytest.mark.parametrize("pack", [bytes, bz2.compress, gzip.compress])
def test_svmlight_is_widened_to_the_register_and_numbers_its_classes_from_0(here, add, pack):
    add("toy", 4, 5, 3, files=(File("https://example.org/toy.bz2"),))
    put_into_cache("toy", "toy.bz2", pack(b"1 1:1\n3 2:1\n2 1:4\n3 3:1\n"))
    X, y = load("toy")
    assert X.shape == (4, 5)
    assert y.tolist() == [0, 2, 1, 2]


def test_a_class_that_is_missing_shifts_no_other(here, add):
    add("toy", 2, 2, 4)
    write_npz(here, "toy", np.eye(2), [3, 1])
    _, y, notes = prepare("toy")
    assert y.tolist() == [3, 1]
    assert notes == ["toy has 2 classes here, 4 in the register"]


def test_labels_that_cannot_be_right(here, add):
    add("toy", 3, 3)
    write_npz(here, "toy", np.eye(3), [0, 1, 2])
    with pytest.raises(DataError, match="has 3 classes, 2 in the register: check that it is the right file"):
        load("toy")
    write_npz(here, "toy", np.eye(3), [5, 5, 5])
    with pytest.raises(DataError, match="has only the class 5: check that the file has both classes"):
        load("toy")
    write_npz(here, "toy", np.eye(3), [1, 1, 1])
    assert prepare("toy").y.tolist() == [1, 1, 1]


def test_a_table_with_its_label_last_and_the_positive_class_named(here, add):
    add("toy", 3, 2, files=(File("https://example.org/toy.data", Table(positive="g")),))
    put_into_cache("toy", "toy.data", b"1.5,-2,g\n0,3,h\n4,5e1,g\n")
    X, y = load("toy")
    assert X.toarray().tolist() == [[1.5, -2], [0, 3], [4, 50]]
    assert y.tolist() == [1, -1, 1]


def test_a_packed_table_with_its_label_first(here, add):
    add("toy", 3, 2, 3, files=(File("https://example.org/5976039", Table(label=0), saved_as="toy.data.gz"),))
    put_into_cache("toy", "toy.data.gz", gzip.compress(b"T,2,8\nI,5,12\nD,4,11\n"))
    X, y = load("toy")
    assert X.toarray().tolist() == [[2, 8], [5, 12], [4, 11]]
    assert y.tolist() == [2, 1, 0]


def test_labels_of_a_table_that_are_numbers_are_ordered_as_numbers(here, add):
    add("toy", 3, 1, 12, files=(File("https://example.org/toy.data", Table(label=0)),))
    put_into_cache("toy", "toy.data", b"2,5\n12,6\n1,7\n")
    assert prepare("toy").y.tolist() == [1, 11, 0]


def test_only_svmlight_may_leave_features_out(here, add):
    add("toy", 2, 3)
    (here / "toy.svm").write_text("1 1:1\n-1 1:2\n")
    assert load("toy")[0].shape == (2, 3)
    (here / "toy.svm").unlink()
    (here / "toy.csv").write_text("a,label\n1,0\n2,1\n")
    with pytest.warns(DataWarning, match="toy has 1 features here, 3 in the register"):
        assert load("toy")[0].shape == (2, 1)


def test_a_table_with_names_and_missing_cells(here, add):
    add("toy", 4, 4, files=(File("https://example.org/toy.data", Table(positive="+", categories=(0,))),))
    put_into_cache("toy", "toy.data", b"b,1,+\na,?,-\n?,3,-\nc,8,+\n")
    X, y = load("toy")
    assert X.toarray().tolist() == [[0, 1, 0, 1], [1, 0, 0, 3], [0, 0, 0, 3], [0, 0, 1, 8]]
    assert y.tolist() == [1, -1, -1, 1]


@pytest.mark.parametrize("content", [b"1,2,g\n3,h\n", b"1,x,g\n", b"\xff\xfe,1,g\n", b"\n\n", b"1,2,?\n"])
def test_a_damaged_table_gets_one_sentence(here, add, content):
    add("toy", 2, 2, files=(File("https://example.org/toy.data", Table()),))
    path = put_into_cache("toy", "toy.data", content)
    with pytest.raises(DataError) as fault:
        load("toy")
    assert str(fault.value).startswith(str(path))
    assert "\n" not in str(fault.value)


def test_one_of_several_views(here):
    X = sp.csr_array(np.array([[1, 0, 2], [0, 3, 0]], dtype=np.float32))
    view = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
    arrays = {f"view2_{key}": array for key, array in view.items()}
    np.savez(here / "webkb_course.npz", y=np.array([1, -1]), view1_data=np.ones(1), **arrays)
    assert prepare("webkb_course", "nguyen2011").X.toarray().tolist() == X.toarray().tolist()


def test_ratings_are_no_rows(here):
    np.savez(here / "ml1m.npz", users=np.arange(3), items=np.arange(3), ratings=np.ones(3))
    with pytest.raises(DataError, match=r"ml1m holds ratings of items by users, not rows .*ml1m\.npz yourself"):
        load("ml1m")


def test_preparation_in_words():
    use = REGISTER["protein"].uses["yan2017"]
    assert (
        use.words
        == "followed by the rows of protein_test; rows scaled to length 1 (assumed: the paper does not say it)"
    )
    assert Use().words == "as it is"
    assert Use(steps=(UnitRows(stated=True),)).words == "rows scaled to length 1"
