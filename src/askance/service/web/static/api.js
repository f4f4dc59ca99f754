/** Requests to the API of the service that this page came from. */
export class Refused extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The service does not respond. */
export class Unreachable extends Error {}

const TIMEOUT = 30_000;

/** The path under which a proxy serves this service, such as /askance; usually empty. */
export const root = document.querySelector('meta[name="root"]')?.content ?? "";

/**
 * The response to a request; throws Refused if the service refuses it, Unreachable if it does not respond.
 * The body is an object, or a part of a file.
 */
export async function send(method, path, body) {
  const isFile = body instanceof Blob;
  const headers = body === undefined ? {} : { "content-type": isFile ? "application/octet-stream" : "application/json" };
  const csrf = document.querySelector('meta[name="csrf"]')?.content;
  if (csrf) headers["x-askance-csrf"] = csrf;
  const answer = await fetch(root + path, {
    method,
    headers,
    body: isFile ? body : body && JSON.stringify(body),
    credentials: "same-origin",
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch(unreachable);
  if (answer.ok) return answer.json().catch(unreachable);
  const said = await answer.json().catch(() => ({}));
  const pause = Number(answer.headers.get("retry-after")) || undefined;
  throw new Refused(answer.status, said.error?.code, said.error?.message ?? answer.statusText, pause);
}

function unreachable(error) {
  throw new Unreachable(error.message);
}

export const get = (path) => send("GET", path);
export const post = (path, body) => send("POST", path, body);
