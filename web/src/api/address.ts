/** The query of the page's own URL, such as an access token for a proxy, without what has a meaning to the
 * server: the server repeats it in the addresses of the page's scripts. */
const kQuery = new URL(import.meta.url).search;

/** The address of `path`, which has no query: relative to the page, as all addresses, because a proxy may
 * serve the page below a path of its own. */
export function address(path: string): string {
  return path + kQuery;
}
