"""Count the words of labelled texts: `python tools/count_words.py TEXTS.jsonl.gz LABEL NAME.npz`.

Each line of the first file is an object with a field `text` and the field of the label. A word is a run of
letters; case is ignored, and English stop words and words of a single text are left out. Made so from the messages
of 20 newsgroups, the data set `20newsgroups_words` stands for LIBSVM's news20 in some tables of papers.
"""

import gzip
import json
import sys

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer


def main() -> None:
    """Write the counts, the labels and the names of the classes."""
    source, label, target = sys.argv[1:]
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    names, labels = np.unique([record[label] for record in records], return_inverse=True)
    counter = CountVectorizer(token_pattern="[a-zA-Z]+", stop_words="english", min_df=2, dtype=np.float32)
    counts = counter.fit_transform([record["text"] for record in records]).tocsr()
    np.savez_compressed(
        target,
        data=counts.data,
        indices=counts.indices,
        indptr=counts.indptr,
        shape=np.array(counts.shape),
        y=labels,
        label_names=names,
    )


if __name__ == "__main__":
    main()
