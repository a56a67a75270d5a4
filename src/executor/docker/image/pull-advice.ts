import { AWAY, LIMITED } from '../../pull-fault.ts';

/** The subject of a refused pull. */
export interface PullSubject {
  readonly image: string;
  /** Whose credentials were used. */
  readonly by?: 'job' | 'runner';
  readonly platform?: string;
}

/**
 * The remedy for a refused pull, judged by its text: the engine turns a registry's 401, 429 and 503
 * into 500.
 */
export function pullAdvice(text: string, { image, by, platform }: PullSubject): string {
  if (/invalid reference format|repository name must be|invalid checksum digest|cannot contain/i.test(text)) {
    return `"${image}" is not a valid image name: correct it in the deployment settings.`;
  }
  if (/no matching manifest|does not match the specified platform|no match for platform/i.test(text)) {
    return `Use an image built for ${platform ?? 'this platform'}, or a runner pool of another platform.`;
  }
  if (LIMITED.test(text)) {
    return 'The registry limits requests: provide credentials, use a mirror, or try again later.';
  }

  // "pull access denied … may require 'docker login'" stands for both a wrong name and missing
  // credentials.
  if (
    /unauthorized|no basic auth|authentication required|denied|forbidden|incorrect username|\b40[13]\b/i.test(
      text,
    )
  ) {
    if (by === undefined) {
      return "Check the image's name; if it is private, set credentials for its registry in the deployment settings, or run docker login on the runner.";
    }
    const where = by === 'job' ? 'in the deployment settings' : "of the runner's Docker configuration";
    return `Check the image's name, and that the credentials ${where} may read it.`;
  }

  if (/manifest unknown|not found|name unknown|\b404\b/i.test(text)) {
    return "Check the image's name and tag: the registry has no such image.";
  }
  if (/x509|certificate|server gave HTTP response to HTTPS client/i.test(text)) {
    return "Make the engine trust the registry: install its certificate in the engine's certs.d, or list it under insecure-registries.";
  }
  if (/no space left/i.test(text)) return "Free disk space for the engine's images.";

  if (AWAY.test(text) || /no such host/i.test(text)) {
    return 'Check that the engine reaches the registry (network, proxy of the engine).';
  }

  return 'Check the image, and that the engine can pull it (`docker pull` shows the same error).';
}
