/** Requests to the API of the service that this page came from. */
export class Refused extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The service does not answer. */
export class Unreachable extends Error {}

const PATIENCE = 30_000;

/** The answer to a request; Refused if the service says no, Unreachable if it says nothing. */
export async function send(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const csrf = document.querySelector('meta[name="csrf"]')?.content;
  if (csrf) headers["x-askance-csrf"] = csrf;
  const answer = await fetch(path, {
    method,
    headers,
    body: body && JSON.stringify(body),
    credentials: "same-origin",
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(unreachable);
  if (answer.ok) return answer.json().catch(unreachable);
  const said = await answer.json().catch(() => ({}));
  const pause = Number(answer.headers.get("retry-after")) || undefined;
  throw new Refused(answer.status, said.error?.code, said.error?.message ?? answer.statusText, pause);
}

function unreachable(fault) {
  throw new Unreachable(fault.message);
}

export const get = (path) => send("GET", path);
export const post = (path, body) => send("POST", path, body);
