import { get, post, send } from "./api.js";
import { confirmed } from "./confirm.js";
import { copy } from "./clipboard.js";
import { at, el } from "./dom.js";
import { report, done } from "./errors.js";
import { date, distance } from "./times.js";
import { openChange, startForm } from "./token-form.js";

const SOON = 7 * 86_400_000;

/** Show the current tokens and sessions. */
async function show() {
  try {
    const [{ tokens }, { sessions }] = await Promise.all([get("/api/tokens"), get("/api/sessions")]);
    const good = tokens.filter((token) => token.revoked === null);
    at("tokens", none(good, "There are no tokens yet."), good.map((token) => tokenRow(token, sessions)));
    at("sessions", none(sessions, "Nobody is signed in with a browser."), sessions.map(sessionRow));
    warn(good);
    showRevoked(tokens.filter((token) => token.revoked !== null));
  } catch (error) {
    report(error);
  }
}

function none(list, words) {
  return list.length ? [] : [el("tr", {}, el("td", { colspan: 7, class: "soft" }, words))];
}

function tokenRow(token, sessions) {
  const own = sessions.filter((session) => session.name === token.name);
  const end = endOf(token);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, token.name),
    el("td", { "data-label": "Rights" }, rights(token)),
    el("td", { "data-label": "Created" }, date(token.created)),
    el("td", { "data-label": "Ends", class: end ? null : "none" }, end),
    el("td", { "data-label": "Last seen" }, token.seen === null ? el("span", { class: "soft" }, "not recently") : distance(token.seen)),
    el("td", { "data-label": "Sessions" }, String(own.length)),
    el("td", { class: "verbs" }, verbs(token)),
  );
}

/** The role in all tasks, or the tasks of each role. */
function rights(token) {
  const chip = (role) => el("span", { class: `chip plain ${role === "admin" ? "note" : ""}` }, role);
  if (token.tasks === null) return chip(token.role);
  const roles = [...new Set(Object.values(token.tasks))].sort();
  const lines = roles.map((role) => {
    const tasks = Object.keys(token.tasks).filter((task) => token.tasks[task] === role);
    return el("div", {}, chip(role), ` in ${tasks.join(", ")}`);
  });
  return el("div", {}, lines);
}

function endOf(token) {
  if (token.provider !== null) return el("span", { class: "soft" }, `signs in at ${token.provider}`);
  if (token.expires === null) return null;
  const ended = token.expires * 1000 <= Date.now();
  return ended ? el("span", { class: "chip bad" }, "ended") : el("span", endsSoon(token) ? { class: "chip warn" } : {}, distance(token.expires));
}

function endsSoon(token) {
  return token.expires !== null && token.expires * 1000 - Date.now() < SOON;
}

/** Say which tokens end soon, so that they are renewed before. */
function warn(tokens) {
  const names = tokens.filter(endsSoon).map((token) => token.name);
  at("ending").hidden = names.length === 0;
  at("ending", `Ends within a week, or has ended: ${names.join(", ")}. “Change” sets a later end, and “New secret” replaces the secret.`);
}

function verbs(token) {
  const verb = (words, label, work, kind = "") =>
    el("button", { type: "button", class: `quiet ${kind}`, "aria-label": `${label} ${token.name}`, onclick: () => work(token) }, words);
  const revoking = verb("Revoke", "Revoke the token of", revoke, "danger");
  if (token.provider !== null) return [revoking];
  return [
    verb("Change", "Change the rights of", openChange),
    verb("Sign-in link", "Create a sign-in link for", makeLink),
    verb("New secret", "Create a new secret for", rotate),
    revoking,
  ];
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
    ...tokens.map((token) => el("li", {}, `${token.name}, revoked `, date(token.revoked))),
  );
}

async function revoke(token) {
  const question = `Revoke the token of ${token.name}?`;
  const consequence = "Browsers and programs that use it lose access at once. This cannot be undone, and the name cannot be used again.";
  if (!(await confirmed(question, consequence, "Revoke token"))) return;
  await done(show, send("DELETE", address(token)), `${token.name}'s token has been revoked.`);
}

async function end(session) {
  const question = session.current ? "End your own session?" : `End this session of ${session.name}?`;
  const consequence = "That browser has to sign in again with its token.";
  if (!(await confirmed(question, consequence, "End session"))) return;
  await done(show, send("DELETE", `/api/sessions/${session.number}`), "The session has ended.");
}

async function makeLink(token) {
  try {
    const made = await post(`${address(token)}/links`, {});
    showMade(`A link for ${made.name}`, [`It signs ${made.name} in once, and ends `, distance(made.until), ". It is not shown again."], made.url, "Copy link");
  } catch (error) {
    report(error);
  }
}

async function rotate(token) {
  const question = `Create a new secret for ${token.name}?`;
  const consequence = "The old secret ends at once, and browsers that are signed in with it are signed out. For an overlap, use askance token rotate.";
  if (!(await confirmed(question, consequence, "Create a new secret"))) return;
  try {
    showToken(await post(`${address(token)}/rotate`, {}));
    await show();
  } catch (error) {
    report(error);
  }
}

function showToken(made) {
  showMade(`The token of ${made.name}`, [`Give it to ${made.name} now: it is not shown again.`], made.token, "Copy token");
}

/** Show what cannot be shown again: a token or a link. */
function showMade(title, words, content, verb) {
  const secret = el("code", { class: "secret" }, content);
  const place = at(
    "made",
    el("h2", {}, title),
    el("p", {}, ...words),
    el("div", { class: "row" }, secret, el("button", { type: "button", class: "main", onclick: () => copy(secret) }, verb), el("button", { type: "button", onclick: () => hideMade() }, "Done")),
  );
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

function hideMade() {
  const place = at("made");
  place.replaceChildren();
  place.hidden = true;
}

function address(token) {
  return `/api/tokens/${encodeURIComponent(token.name)}`;
}

await startForm(showToken, show);
await show();
