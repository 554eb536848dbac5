/**
 * Request targets that try to reach `lock:a` or another route by a path that two parsers read differently.
 *
 * - `ambiguous`: a parser that normalizes paths reads another path. 400, whatever it leads to.
 * - `api`: reaches the API, which has no such route or key.
 * - `page`: not below `/api/`, so the pages respond. Only a server with pages can show that they reach no lock.
 */
export const REQUEST_TARGETS = [
  ["with dot segments", "/api/v1/locks/../../v1/locks/lock:a/acquire", "ambiguous"],
  ["with encoded dot segments", "/api/v1/locks/%2e%2e/lock%3Aa/acquire", "ambiguous"],
  ["with half-encoded dot segments", "/api/v1/locks/.%2E/locks/lock%3Aa/acquire", "ambiguous"],
  ["with a dot segment before the API", "/./api/v1/locks/lock%3Aa/acquire", "ambiguous"],
  ["with an encoded dot segment before the API", "/%2e/api/v1/locks/lock%3Aa/acquire", "ambiguous"],
  ["that climbs from a page to the API", "/x/../api/v1/locks/lock%3Aa/acquire", "ambiguous"],
  ["that climbs from a page, encoded", "/x/%2e%2e/api/v1/locks/lock%3Aa/acquire", "ambiguous"],
  ["that climbs twice", "/./api/v1/locks/x/../lock%3Aa/acquire", "ambiguous"],
  ["with backslashes", "/api/v1\\locks\\lock%3Aa\\acquire", "ambiguous"],
  ["with a backslash before the API", "/\\api/v1/locks/lock%3Aa/acquire", "ambiguous"],
  ["with a fragment", "/api/v1/locks/lock%3Aa/acquire#/release", "ambiguous"],
  ["with encoded slashes for another route", "/api/v1/locks%2Flock%3Aa%2Facquire", "api"],
  ["with a doubled slash", "/api/v1//locks/lock%3Aa/acquire", "api"],
  ["with path parameters", "/api/v1/locks;x=1/lock%3Aa/acquire", "api"],
  ["with an encoded zero byte", "/api/v1/locks/lock%3Aa/acquire%00", "api"],
  ["in absolute form", "http://127.0.0.1/api/v1/locks/lock%3Aa/acquire", "api"],
  ["in absolute form for another host", "http://evil.example/api/v1/locks/lock%3Aa/acquire", "api"],
  ["with a doubled slash before the API", "//api/v1/locks/lock%3Aa/acquire", "page"],
  ["in upper case", "/API/v1/locks/lock%3Aa/acquire", "page"],
  ["with an encoded prefix", "/%61pi/v1/locks/lock%3Aa/acquire", "page"],
  ["with an encoded slash in the prefix", "/api%2Fv1/locks/lock%3Aa/acquire", "page"],
  ["that begins with a host", "//evil.example/api/v1/locks/lock%3Aa/acquire", "page"],
  ["of a page with a route below it", "/locks/lock%3Aa/acquire", "page"],
] as const;
