/** A part of a URL without its percent encoding. One that encodes nothing stands for itself. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The credentials of HTTP's basic authentication, from a URL's user and password. */
export function basicCredentials(username: string, password: string): string {
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[(?:::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/i;

/** True for a host name, as `URL.hostname` has it, that can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
