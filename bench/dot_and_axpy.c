/* The plain loop that a learner of linear cost is measured by: score every row, move the weights on some of them.

   A row that moves gets the score of its label. Which rows move is given, so that the processor can foresee it
   no better than it foresees the decisions of a learner. */

void dot_and_axpy(long rows, const int *starts, const int *columns, const float *values, const float *labels,
                  const unsigned char *moves, float *weights, float *scores)
{
    for (long t = 0; t < rows; t++) {
        float score = 0;
        for (int k = starts[t]; k < starts[t + 1]; k++)
            score += weights[columns[k]] * values[k];
        scores[t] = score;
        if (moves[t]) {
            float step = labels[t] - score;
            for (int k = starts[t]; k < starts[t + 1]; k++)
                weights[columns[k]] += step * values[k];
        }
    }
}
