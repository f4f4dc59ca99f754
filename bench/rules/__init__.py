"""Every update rule with every query rule on the data sets of the league, at equal numbers of labels."""
