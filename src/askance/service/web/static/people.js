import { get, post, send } from "./api.js";
import { confirmed } from "./confirm.js";
import { copy } from "./clipboard.js";
import { at, el } from "./dom.js";
import { report, done, sentence } from "./errors.js";
import { date, distance } from "./times.js";

const dialog = at("token-dialog");
const form = at("token-form");

/** Show the current tokens and sessions. */
async function show() {
  try {
    const [{ tokens }, { sessions }] = await Promise.all([get("/api/tokens"), get("/api/sessions")]);
    const good = tokens.filter((token) => token.revoked === null);
    at("tokens", none(good, "There are no tokens yet."), good.map((token) => tokenRow(token, sessions)));
    at("sessions", none(sessions, "Nobody is signed in with a browser."), sessions.map(sessionRow));
    showRevoked(tokens.filter((token) => token.revoked !== null));
  } catch (error) {
    report(error);
  }
}

function none(list, words) {
  return list.length ? [] : [el("tr", {}, el("td", { colspan: 6, class: "soft" }, words))];
}

function tokenRow(token, sessions) {
  const own = sessions.filter((session) => session.name === token.name);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, token.name),
    el("td", { "data-label": "Role" }, el("span", { class: `chip plain ${token.role === "admin" ? "note" : ""}` }, token.role)),
    el("td", { "data-label": "Created" }, date(token.created)),
    el("td", { "data-label": "Last seen" }, token.seen === null ? el("span", { class: "soft" }, "not recently") : distance(token.seen)),
    el("td", { "data-label": "Sessions" }, String(own.length)),
    el("td", { class: "verbs" }, el("button", { type: "button", class: "quiet danger", "aria-label": `Revoke the token of ${token.name}`, onclick: () => revoke(token) }, "Revoke")),
  );
}

function sessionRow(session) {
  const here = session.current ? el("span", { class: "chip good" }, "this browser") : null;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, session.name, " ", here),
    el("td", { "data-label": "Browser", class: "agent", title: session.agent }, browser(session.agent)),
    el("td", { "data-label": "Since" }, date(session.created)),
    el("td", { "data-label": "Last seen" }, distance(session.seen)),
    el("td", { "data-label": "Ends" }, distance(session.until)),
    el("td", { class: "verbs" }, el("button", { type: "button", class: "quiet danger", "aria-label": `End a session of ${session.name}`, onclick: () => end(session) }, "End")),
  );
}

/** Browser and system, as far as the user agent reveals them. */
function browser(agent) {
  const name = /Firefox|Edg|OPR|Chrome|Safari|curl/.exec(agent)?.[0];
  const system = /Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/.exec(agent)?.[0];
  const names = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS", CrOS: "ChromeOS" };
  const words = [name, system].filter(Boolean).map((word) => names[word] ?? word);
  return words.join(" on ") || agent.slice(0, 40) || "unknown";
}

function showRevoked(tokens) {
  at("revoked-place").hidden = tokens.length === 0;
  at("revoked-title", `Revoked tokens (${tokens.length})`);
  at("revoked").replaceChildren(
    ...tokens.map((token) => el("li", {}, `${token.name}, ${token.role}, revoked `, date(token.revoked))),
  );
}

async function revoke(token) {
  const question = `Revoke the token of ${token.name}?`;
  const consequence = "Browsers and programs that use it lose access at once. This cannot be undone, and the name cannot be used again.";
  if (!(await confirmed(question, consequence, "Revoke token"))) return;
  await done(show, send("DELETE", `/api/tokens/${encodeURIComponent(token.name)}`), `${token.name}'s token has been revoked.`);
}

async function end(session) {
  const question = session.current ? "End your own session?" : `End this session of ${session.name}?`;
  const consequence = "That browser has to sign in again with its token.";
  if (!(await confirmed(question, consequence, "End session"))) return;
  await done(show, send("DELETE", `/api/sessions/${session.number}`), "The session has ended.");
}

/** Show the new token, which cannot be shown again. */
function showMade(made) {
  const secret = el("code", { class: "secret" }, made.token);
  const place = at(
    "made",
    el("h2", {}, `The token of ${made.name}`),
    el("p", {}, `Give it to ${made.name} now: it is not shown again.`),
    el("div", { class: "row" }, secret, el("button", { type: "button", class: "main", onclick: () => copy(secret) }, "Copy token"), el("button", { type: "button", onclick: () => hideMade() }, "Done")),
  );
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

function hideMade() {
  const place = at("made");
  place.replaceChildren();
  place.hidden = true;
}

async function make(event) {
  event.preventDefault();
  const request = { name: form.elements.name.value.trim(), role: form.elements.role.value };
  try {
    const made = await post("/api/tokens", request);
    dialog.close();
    showMade(made);
    await show();
  } catch (error) {
    if (error.status !== 409 && error.status !== 422) {
      dialog.close();
      report(error);
      return;
    }
    at("name-wrong", sentence(error.message));
    form.elements.name.setAttribute("aria-invalid", "true");
    form.elements.name.focus();
  }
}

at("new-token").addEventListener("click", () => {
  form.reset();
  at("name-wrong").replaceChildren();
  form.elements.name.removeAttribute("aria-invalid");
  dialog.showModal();
});
at("token-cancel").addEventListener("click", () => dialog.close());
form.addEventListener("submit", make);
await show();
