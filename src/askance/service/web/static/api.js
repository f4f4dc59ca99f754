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
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5000;
const PASSING = [408, 429, 502, 503, 504]; // a refusal that says nothing about the request itself

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

/**
 * The response to a request that changes nothing if it arrives twice: it is sent until the service responds. Without a
 * response, nobody knows whether it has arrived. `waiting` is called before each further attempt.
 */
export async function insist(path, body, waiting = () => {}) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await post(path, body);
    } catch (error) {
      if (!(error instanceof Unreachable) && !PASSING.includes(error.status)) throw error;
      waiting();
      await new Promise((go) => setTimeout(go, Math.max(pause, 1000 * (error.retryAfter ?? 0))));
    }
  }
}

/** A new unique name, such as the key of a request; randomUUID exists only where the connection is secure. */
export function freshName() {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
