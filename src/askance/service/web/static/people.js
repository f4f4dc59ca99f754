import { get, post, send } from "./api.js";
import { confirmed } from "./confirm.js";
import { copy } from "./clipboard.js";
import { at, el } from "./dom.js";
import { report, done } from "./errors.js";
import { listed, pieces, t } from "./language.js";
import { date, distance } from "./times.js";
import { openChange, startForm } from "./token-form.js";

const ROLES = { admin: t("admin"), labeller: t("labeller"), read: t("read|role"), ingest: t("ingest|role") };
const SOON = 7 * 86_400_000;

/** Show the current tokens and sessions. */
async function show() {
  try {
    const [{ tokens }, { sessions }] = await Promise.all([get("/api/tokens"), get("/api/sessions")]);
    const good = tokens.filter((token) => token.revoked === null);
    at("tokens", none(good, t("There are no tokens yet.")), good.map((token) => tokenRow(token, sessions)));
    at("sessions", none(sessions, t("Nobody is signed in with a browser.")), sessions.map(sessionRow));
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
    el("td", { "data-label": t("Rights") }, rights(token)),
    el("td", { "data-label": t("Created") }, date(token.created)),
    el("td", { "data-label": t("Ends"), class: end ? null : "none" }, end),
    el("td", { "data-label": t("Last seen") }, token.seen === null ? el("span", { class: "soft" }, t("not recently")) : distance(token.seen)),
    el("td", { "data-label": t("Sessions") }, String(own.length)),
    el("td", { class: "verbs" }, verbs(token)),
  );
}

/** The role in all tasks, or the tasks of each role. */
function rights(token) {
  const chip = (role) => el("span", { class: `chip plain ${role === "admin" ? "note" : ""}` }, ROLES[role] ?? role);
  if (token.tasks === null) return chip(token.role);
  const roles = [...new Set(Object.values(token.tasks))].sort();
  const lines = roles.map((role) => {
    const tasks = Object.keys(token.tasks).filter((task) => token.tasks[task] === role);
    return el("div", {}, pieces("{role} in {tasks}", { role: chip(role), tasks: listed(tasks) }));
  });
  return el("div", {}, lines);
}

function endOf(token) {
  if (token.provider !== null) return el("span", { class: "soft" }, t("signs in at {provider}", { provider: token.provider }));
  if (token.expires === null) return null;
  const ended = token.expires * 1000 <= Date.now();
  return ended ? el("span", { class: "chip bad" }, t("ended")) : el("span", endsSoon(token) ? { class: "chip warn" } : {}, distance(token.expires));
}

function endsSoon(token) {
  return token.expires !== null && token.expires * 1000 - Date.now() < SOON;
}

/** Say which tokens end soon, so that they are renewed before. */
function warn(tokens) {
  const names = tokens.filter(endsSoon).map((token) => token.name);
  at("ending").hidden = names.length === 0;
  at("ending", t("Ends within a week, or has ended: {names}. “Change” sets a later end, and “New secret” replaces the secret.", { names: listed(names) }));
}

function verbs(token) {
  const { name } = token;
  const verb = (words, label, work, kind = "") =>
    el("button", { type: "button", class: `quiet ${kind}`, "aria-label": label, onclick: () => work(token) }, words);
  const revoking = verb(t("Revoke"), t("Revoke the token of {name}", { name }), revoke, "danger");
  if (token.provider !== null) return [revoking];
  return [
    verb(t("Change"), t("Change the rights of {name}", { name }), openChange),
    verb(t("Sign-in link"), t("Create a sign-in link for {name}", { name }), makeLink),
    verb(t("New secret"), t("Create a new secret for {name}", { name }), rotate),
    revoking,
  ];
}

function sessionRow(session) {
  const here = session.current ? el("span", { class: "chip good" }, t("this browser")) : null;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, session.name, " ", here),
    el("td", { "data-label": t("Browser"), class: "agent", title: session.agent }, browser(session.agent)),
    el("td", { "data-label": t("Since") }, date(session.created)),
    el("td", { "data-label": t("Last seen") }, distance(session.seen)),
    el("td", { "data-label": t("Ends") }, distance(session.until)),
    el("td", { class: "verbs" }, el("button", { type: "button", class: "quiet danger", "aria-label": t("End a session of {name}", { name: session.name }), onclick: () => end(session) }, t("End|verb"))),
  );
}

/** Browser and system, as far as the user agent reveals them. */
function browser(agent) {
  const name = /Firefox|Edg|OPR|Chrome|Safari|curl/.exec(agent)?.[0];
  const system = /Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/.exec(agent)?.[0];
  const names = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS", CrOS: "ChromeOS" };
  const words = [name, system].filter(Boolean).map((word) => names[word] ?? word);
  if (words.length > 1) return t("{browser} on {system}", { browser: words[0], system: words[1] });
  return words[0] || agent.slice(0, 40) || t("unknown");
}

function showRevoked(tokens) {
  at("revoked-place").hidden = tokens.length === 0;
  at("revoked-title", t("Revoked tokens ({count})", { count: tokens.length }));
  at("revoked").replaceChildren(
    ...tokens.map((token) => el("li", {}, pieces("{name}, revoked {date}", { name: token.name, date: date(token.revoked) }))),
  );
}

async function revoke(token) {
  const question = t("Revoke the token of {name}?", { name: token.name });
  const consequence = t("Browsers and programs that use it lose access at once. This cannot be undone, and the name cannot be used again.");
  if (!(await confirmed(question, consequence, t("Revoke token")))) return;
  await done(show, send("DELETE", address(token)), t("{name}'s token has been revoked.", { name: token.name }));
}

async function end(session) {
  const question = session.current ? t("End your own session?") : t("End this session of {name}?", { name: session.name });
  const consequence = t("That browser has to sign in again with its token.");
  if (!(await confirmed(question, consequence, t("End session")))) return;
  await done(show, send("DELETE", `/api/sessions/${session.number}`), t("The session has ended."));
}

async function makeLink(token) {
  try {
    const made = await post(`${address(token)}/links`, {});
    showMade(t("A link for {name}", { name: made.name }), pieces("It signs {name} in once, and ends {soon}. It is not shown again.", { name: made.name, soon: distance(made.until) }), made.url, t("Copy link"));
  } catch (error) {
    report(error);
  }
}

async function rotate(token) {
  const question = t("Create a new secret for {name}?", { name: token.name });
  const consequence = t("The old secret ends at once, and browsers that are signed in with it are signed out. For an overlap, use {command}.", { command: "askance token rotate" });
  if (!(await confirmed(question, consequence, t("Create a new secret")))) return;
  try {
    showToken(await post(`${address(token)}/rotate`, {}));
    await show();
  } catch (error) {
    report(error);
  }
}

function showToken(made) {
  showMade(t("The token of {name}", { name: made.name }), [t("Give it to {name} now: it is not shown again.", { name: made.name })], made.token, t("Copy token"));
}

/** Show what cannot be shown again: a token or a link. */
function showMade(title, words, content, verb) {
  const secret = el("code", { class: "secret" }, content);
  const place = at(
    "made",
    el("h2", {}, title),
    el("p", {}, ...words),
    el("div", { class: "row" }, secret, el("button", { type: "button", class: "main", onclick: () => copy(secret) }, verb), el("button", { type: "button", onclick: () => hideMade() }, t("Done"))),
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
