/* The stored choice of light or dark. Not a module, so that it runs before the first paint. */
(() => {
  const KEY = "askance:theme";
  const names = ["auto", "light", "dark"];
  const root = document.documentElement;

  function remembered() {
    try {
      return localStorage.getItem(KEY) ?? "auto";
    } catch {
      return "auto"; // a browser without storage
    }
  }

  function show(choice) {
    if (choice === "auto") delete root.dataset.theme;
    else root.dataset.theme = choice;
    const button = document.getElementById("theme");
    if (!button) return;
    button.title = button.dataset[choice] ?? choice;
    button.setAttribute("aria-label", button.title);
  }

  function next() {
    const choice = names[(names.indexOf(remembered()) + 1) % names.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // then it applies to this page only
    }
    show(choice);
  }

  show(remembered());
  addEventListener("DOMContentLoaded", () => {
    show(remembered());
    document.getElementById("theme")?.addEventListener("click", next);
  });
  addEventListener("storage", (event) => event.key === KEY && show(remembered()));
})();
