"""The report of a sweep: results, tables and figures in a directory."""

from importlib.util import find_spec
from pathlib import Path

from askance.experiments.sweep.results import Results
from askance.experiments.sweep.tables import page, rank_table, result_table
from askance.plotting.sweeps import draw_errors, draw_rates, draw_times


def write_report(results: Results, directory: Path, title: str) -> list[Path]:
    """Write everything that the installed packages allow, and return the paths, the most readable first."""
    directory.mkdir(parents=True, exist_ok=True)
    tables = [result_table(results), result_table(results, "asked")]
    if len(results.data_sets) > 1:
        tables.insert(1, rank_table(results))
    written = [directory / "tables.md", directory / "tables.html"]
    written[0].write_text("\n".join(table.to_markdown() for table in tables), encoding="utf-8")
    written[1].write_text(page(tables, title), encoding="utf-8")
    if find_spec("matplotlib"):
        written += _figures(results, directory)
    if find_spec("pyarrow"):
        written += [directory / "results.parquet", directory / "results.times.parquet"]
        results.save(written[-2])
    return written


def _figures(results: Results, directory: Path) -> list[Path]:
    drawn = [directory / "labels.png", directory / "times.png"]
    rate = _rate_to_draw(results)
    draw_rates(results, path=drawn[0])
    draw_times(results, rate, path=drawn[1])
    if results.curves is not None:
        drawn.append(directory / "errors.png")
        draw_errors(results, rate, path=drawn[-1])
    return drawn


def _rate_to_draw(results: Results) -> float:
    """Return the middle rate, for figures that show a single rate."""
    return results.rates[(len(results.rates) - 1) // 2]
