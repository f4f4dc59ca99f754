import { t } from "./language.js";

const NAMES = {
  add_webhook: t("Add webhook"),
  change_classes: t("Change classes"),
  change_task: t("Change task"),
  change_token: t("Change token"),
  compact_task: t("Compact task"),
  correct_label: t("Correct label|event"),
  create_link: t("Create link"),
  create_task: t("Create task"),
  create_token: t("Create token"),
  delete_items: t("Delete items|event"),
  end_session: t("End session|event"),
  export_audit: t("Export audit"),
  export_card: t("Export card"),
  export_decisions: t("Export decisions"),
  export_items: t("Export items"),
  export_labels: t("Export labels"),
  export_model: t("Export model"),
  first_sign_in: t("First sign in"),
  label_group: t("Label group"),
  remove_webhook: t("Remove webhook"),
  replay_webhook: t("Replay webhook"),
  review_item: t("Review item"),
  revoke_token: t("Revoke token|event"),
  roll_back: t("Roll back|event"),
  rotate_token: t("Rotate token"),
  set_columns: t("Set columns"),
  set_state: t("Set state"),
  sign_in: t("Sign in|event"),
  sign_in_failed: t("Sign in failed"),
  sign_out: t("Sign out|event"),
  undo_rollback: t("Undo rollback"),
};

/** What was done, as the reader calls it; `rename_task` of another version of the service becomes "Rename task". */
export function actionName(action) {
  const words = action.replaceAll("_", " ");
  return NAMES[action] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
