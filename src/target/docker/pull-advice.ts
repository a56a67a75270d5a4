interface PullSubject {
  readonly image: string;
  readonly credentials?: unknown;
  readonly platform?: string;
}

/**
 * What to do about a pull that was refused. It goes by the text: the engine hands a registry's 401, 429 and 503 on as 500, and
 * a failure after the first byte as a frame without any status.
 */
export function pullAdvice(text: string, { image, credentials, platform }: PullSubject): string {
  if (/invalid reference format|repository name must be|invalid checksum digest|cannot contain/i.test(text)) {
    return `"${image}" is not a valid image name: correct it in the deployment settings.`;
  }
  if (/no matching manifest|does not match the specified platform|no match for platform/i.test(text)) {
    return `Use an image built for ${platform ?? 'this platform'}, or a runner pool of another platform.`;
  }
  if (/toomanyrequests|too many requests|rate limit|\b429\b/i.test(text)) {
    return 'The registry limits how often it is asked: give credentials, use a mirror, or try again later.';
  }
  // "pull access denied … may require 'docker login'" stands for both a wrong name and missing credentials.
  if (/unauthorized|no basic auth|authentication required|denied|forbidden|incorrect username|\b40[13]\b/i.test(text)) {
    return credentials === undefined
      ? "Check the image's name, and give credentials for its registry in the deployment settings if it is private."
      : "Check the image's name, and that the credentials in the deployment settings may read it.";
  }
  if (/manifest unknown|not found|name unknown|\b404\b/i.test(text)) {
    return "Check the image's name and tag: the registry has no such image.";
  }
  if (/x509|certificate|server gave HTTP response to HTTPS client/i.test(text)) {
    return "Make the engine trust the registry: install its certificate in the engine's certs.d, or list it under insecure-registries.";
  }
  if (/no space left/i.test(text)) return "Free disk space for the engine's images.";
  if (
    /dial tcp|no such host|i\/o timeout|connection refused|connection reset|TLS handshake timeout|EOF|Client\.Timeout|\b50[0234]\b/i.test(
      text,
    )
  ) {
    return 'Check that the engine reaches the registry (network, proxy of the engine).';
  }
  return 'Check the image, and that the engine can pull it (`docker pull` shows the same error).';
}
