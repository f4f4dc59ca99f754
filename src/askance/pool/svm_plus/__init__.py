"""SVM+: a support vector machine with privileged features."""
