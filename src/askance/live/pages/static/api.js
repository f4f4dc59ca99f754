/** Requests to the API of the service that this page came from. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The answer to a request; Refused if the service says no, TypeError if it cannot be reached. */
export async function send(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), credentials: "same-origin" });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said.error?.code, said.error?.message ?? answer.statusText);
  return said;
}

export const get = (path) => send("GET", path);
export const post = (path, body) => send("POST", path, body);
