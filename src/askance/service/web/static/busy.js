/** Run `work` while a button shows that it is under way and cannot be pressed again. */
export async function whileBusy(button, work) {
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  try {
    return await work();
  } finally {
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
}
