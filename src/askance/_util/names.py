"""Names that `--help` lists and shells complete. They stand here because what they name takes long to import."""

PAPER_NAMES = (
    "lu2016",
    "nguyen2011",
    "cesabianchi2006",
    "dada2021",
    "yan2017",
    "yan2016-rossel",
    "yan2016-lupi",
    "yan2015",
)

METRIC_NAMES = (
    "accuracy",
    "error",
    "mistakes",
    "f",
    "precision",
    "recall",
    "sensitivity",
    "specificity",
    "sum",
    "balanced_accuracy",
    "g_mean",
    "auroc",
    "auprc",
    "cost",
    "query_ratio",
)
