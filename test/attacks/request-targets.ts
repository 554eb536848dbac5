/**
 * Request targets that try to reach `lock:a` or another route with a path that parsers interpret differently.
 *
 * - `ambiguous`: a parser that normalizes paths sees a different path. The server always responds with 400.
 * - `api`: a path of the API for which no route or key exists.
 * - `page`: a path outside `/api/`, which the pages handle. Only a server with pages can show that no lock is reached.
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
