"""Files of exports: their formats, and the folder for Hugging Face."""

import os
import shutil
import zipfile
from pathlib import Path
from typing import Literal, get_args

from askance._util.atomic_write import atomic_write
from askance.service.messages import ExportFormat

Exported = Literal["labels", "decisions", "items"]
EXPORTED: tuple[Exported, ...] = get_args(Exported)
FORMATS: dict[str, ExportFormat] = {
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".zip": "hf",
    "": "hf",
}


def format_of(path: str | os.PathLike[str]) -> ExportFormat:
    """The format by the ending of a file; a name without one is a folder for Hugging Face."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        known = ", ".join(name for name in FORMATS if name)
        raise ValueError(f"{path}: the name must end in {known}, or have no ending for a folder")
    return FORMATS[ending]


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether an export to this path is a folder."""
    return not Path(path).suffix


def check_exported(what: str) -> None:
    """Raise ValueError if there is no such export."""
    if what not in EXPORTED:
        raise ValueError(f"{what!r} cannot be exported: give one of {', '.join(EXPORTED)}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive; files that are there are replaced when the new ones are complete."""
    with zipfile.ZipFile(archive) as content:
        for name in content.namelist():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(target) as temporary, content.open(name) as source, temporary.open("wb") as file:
                shutil.copyfileobj(source, file)
