/** The choice of a language. The service needs it before it makes a page, so it is in a cookie. */
const YEAR = 31_536_000;
const dialog = document.getElementById("languages");

function choose(language) {
  const path = document.querySelector('meta[name="root"]').content || "/";
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `askance_language=${language}; path=${path}; max-age=${YEAR}; samesite=lax${secure}`;
  location.assign(location.pathname + location.search); // a page that answers a form must not send it again
}

document.getElementById("language")?.addEventListener("click", () => dialog.showModal());
dialog.addEventListener("click", ({ target }) => {
  if (target === dialog) dialog.close(); // beside it
  else if (target.value) choose(target.value);
});
