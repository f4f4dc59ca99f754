"""The pages about the papers, from stored results: python docs/make_papers.py DIRECTORY

DIRECTORY is where `askance reproduce PAPER --out DIRECTORY` has put its results. A page has, for every table that
was done again, the figures beside the published ones, the orderings that hold and those that do not, and a picture.
"""

import shutil
import sys
from pathlib import Path

from askance.experiments.papers import PAPERS

PAGES = Path(__file__).parent / "papers"
TITLES = {
    "lu2016": "Lu, Zhao and Hoi 2016: passive-aggressive active learning",
    "nguyen2011": "Nguyen et al. 2011: passive-aggressive learning with Mahalanobis distances",
    "cesabianchi2006": "Cesa-Bianchi, Gentile and Zaniboni 2006: selective sampling",
    "dada2021": "Zhai et al.: adaptive-subgradient active learning",
    "yan2017": "Yan 2017, chapter 5: imbalanced streams",
    "yan2016-rossel": "Yan 2016, chapter 3 of the thesis: few labels",
    "yan2016-lupi": "Yan 2016, chapter 4 of the thesis: pools with privileged features",
    "yan2015": "Yan 2017, chapter 2: ordinal ratings",
}


def page_of(paper: str, stored: Path) -> str:
    """The page of a paper, from what is stored of its tables."""
    parts = [f"# {TITLES[paper]}", "", f"Made by `askance reproduce {paper}` and `make papers`.", ""]
    for table in PAPERS[paper]:
        source = stored / paper / table.name
        if not (source / "report.md").exists():
            continue
        parts.append((source / "report.md").read_text(encoding="utf-8").replace("### ", "## ", 1))
        if table.picture is not None and (source / table.picture).exists():
            name = f"{paper}-{table.name}.png"
            shutil.copyfile(source / table.picture, PAGES / name)
            parts += [f"![{table.title}]({name})", ""]
    return "\n".join(parts)


def main() -> None:
    """Write every page for which there is something."""
    stored = Path(sys.argv[1])
    PAGES.mkdir(exist_ok=True)
    for paper in PAPERS:
        if (stored / paper).is_dir():
            (PAGES / f"{paper}.md").write_text(page_of(paper, stored), encoding="utf-8")


if __name__ == "__main__":
    main()
