"""The rules as plain Python: the same vectors, twins, laws and checks that the compiled passes are held to."""

# ruff: noqa: F401

from test_bad_input import test_one_row, test_rows
from test_budgets import (
    test_a_budget_in_a_budget_keeps_both,
    test_a_limit_is_used_up,
    test_a_steered_probability_is_positive_and_follows_its_formula,
)
from test_conformance import test_combination
from test_cost_sensitive import (
    test_cost_sensitive_pa_goes_to_the_margin_of_its_class_or_as_far_as_c_allows,
    test_cpa_moves_on_mistakes_alone,
    test_the_uneven_perceptron_moves_by_the_row_up_to_its_margin,
)
from test_dual import (
    test_a_function_of_ones_own_is_a_kernel,
    test_a_linear_kernel_decides_as_weights_do,
    test_kernels_are_those_of_scikit_learn,
    test_second_order_with_a_linear_kernel_is_that_of_matrices,
    test_there_are_never_more_vectors_than_the_budget,
)
from test_dual import test_exact_mode_decides_as_the_twin as test_dual_forms_decide_as_their_twins
from test_dual_conformance import test_ask_and_tell_are_run, test_predicting_changes_nothing
from test_dual_conformance import test_combination as test_combination_in_dual_form
from test_engine import (
    test_a_coin_is_a_function_of_seed_and_round_alone,
    test_a_learner_tosses_these_coins,
    test_coins_are_those_of_splitmix64,
)
from test_fleet import (
    test_a_table_of_keys_is_a_dictionary,
    test_each_key_has_a_learner_of_its_own,
    test_neither_chunks_nor_threads_matter,
)
from test_full_matrix import (
    test_extreme_rows_break_nothing,
    test_products_are_right_and_the_same_for_sparse_and_dense_rows,
    test_sigma_stays_sound_for_long,
    test_sparse_and_dense_rows_teach_the_same,
)
from test_imbalance import (
    test_a_label_counts_for_as_many_rows_as_its_question_stands_for,
    test_asking_and_telling_is_what_a_run_does,
    test_new_features_find_room,
    test_without_a_class_every_figure_is_defined,
)
from test_imbalance import test_a_rule_decides_as_its_twin as test_rules_for_rare_positives_decide_as_their_twins
from test_inputs import expected, test_every_form_of_one_row, test_every_form_of_rows_gives_the_same_decisions
from test_laws import (
    test_a_coin_must_be_less_than_the_probability,
    test_an_infinite_b_is_full_supervision,
    test_bounds_are_met_exactly_on_orthonormal_rows,
    test_mistakes_are_counted_on_all_rounds_asked_or_not,
    test_passive_aggressive_1_steps_at_most_c_and_not_past_a_margin_of_one,
    test_passive_aggressive_2_goes_forward_and_never_overshoots,
    test_passive_aggressive_reaches_a_margin_of_one_and_no_more,
    test_perceptron_moves_by_the_row_on_a_mistake_and_only_then,
)
from test_multiclass import test_exact_mode_decides_as_the_twin as test_many_classes_decide_as_their_twins
from test_ratings import (
    test_a_calibration_of_the_right_form_is_found,
    test_few_ratings_of_any_kind_give_finite_answers,
)
from test_ratings_folding import test_a_users_row_solves_its_problem, test_an_items_row_solves_its_problem
from test_ratings_problem import (
    test_gradients_are_those_of_finite_differences,
    test_objective_and_gradients_are_those_of_the_formulas,
    test_the_curvature_is_that_of_a_line,
    test_the_steepest_triplets_are_those_of_the_whole_gradient,
)
from test_rossel import (
    test_sparse_rows_and_dense_ones_give_the_same as test_label_kernels_of_sparse_and_dense_rows,
)
from test_second_order import (
    test_confidence_weighted_reaches_the_wanted_confidence_and_no_more,
    test_on_rows_of_one_feature_a_diagonal_is_all_there_is,
    test_pam_reaches_a_margin_of_one_and_no_more,
    test_sigma_is_positive_definite_and_only_shrinks,
    test_sigma_is_the_inverse_of_what_was_added_up,
)
from test_selective import (
    test_a_weight_that_has_vanished_can_come_back,
    test_p_of_2_is_the_perceptron,
    test_the_adaptive_rule_is_the_margin_rule_with_its_own_b,
    test_the_p_norm_perceptron_is_the_link_of_a_sum,
    test_winnow_is_the_softmax_of_a_sum,
    test_winnow_stays_in_the_simplex,
)
from test_subgradient import (
    test_a_turned_value_is_a_turned_label,
    test_dual_averaging_is_its_closed_form,
    test_mirror_descent_minimises_what_it_should,
)
from test_twins import (
    test_every_combination_decides_as_its_twin,
    test_exact_mode_decides_as_the_twin,
    test_fast_mode_stays_close_until_a_decision_differs,
)
from test_vectors import own_vectors, test_own_vectors

from askance.jit.interop import COMPILING


def test_the_compiler_is_off() -> None:
    assert not COMPILING
