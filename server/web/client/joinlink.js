/**
 * Join links: `…/#token=JWT` makes whoever opens it the holder of an issued token. It travels in
 * the fragment, which no browser sends, so that it reaches no log of a server or a proxy. Reads
 * only; pure. Called by main.js.
 */

const FIELD = "token=";
/** As much as the server would read of a token; a longer one is cut and so refused as it must be. */
const MAX_TOKEN_CHARS = 4096;

/**
 * @param {string} fragment of the address, with its `#`, or empty
 * @returns {{token: string | null, rest: string}} `rest`: the fragment without the token, otherwise
 *   as it was
 */
export function readJoinLink(fragment) {
  const parts = fragment.slice(1).split("&");
  const token = parts.find(isToken)?.slice(FIELD.length, FIELD.length + MAX_TOKEN_CHARS) ?? null;
  if (token === null) return { token, rest: fragment };
  const others = parts.filter((part) => !isToken(part));
  return { token, rest: others.length > 0 ? `#${others.join("&")}` : "" };
}

const isToken = (part) => part.startsWith(FIELD) && part.length > FIELD.length;
