"""Names that `--help` lists. They stand here because what they name takes long to import."""

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
