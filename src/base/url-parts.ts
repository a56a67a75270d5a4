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
