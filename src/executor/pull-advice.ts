import type { Fault } from '../base/outcome.ts';
import { hostAdvice, UNKNOWN_PLATFORM, UNKNOWN_PLATFORM_ADVICE, withoutNames } from './foreign-text.ts';
import { parseReference } from './image-reference.ts';

/** The subject of a refused pull. */
export interface PullSubject {
  readonly image: string;
  /** Whose credentials were used. */
  readonly by?: 'job' | 'runner' | undefined;
  readonly platform?: string | undefined;
}

/** An engine's refusal to pull: its words, and the HTTP status of its answer. */
export interface PullRefusal {
  readonly message: string;
  /** Absent where a kubelet passes it on. */
  readonly status?: number | undefined;
}

/** The remedy for a refusal, whose fault it is, and whether a retry can overcome it. */
interface Remedy {
  readonly passes: boolean;
  readonly fault: Fault;
  readonly advice: string;
}

/** A registry's statuses, as numbers, that are about access, names and methods. */
const DENIED = [401, 403];
const LIMITED = 429;

const LIMITED_WORDS =
  /toomanyrequests|too many requests|(rate|pull|request) limit|rate exceeded|quota exceeded|throttl/i;

const PLATFORM =
  /no matching manifest|does not match the specified platform|no match for platform|no image found in (manifest list|image index)|image operating system .* cannot be used/i;

const TRUST = /x509:|certificate|server gave HTTP response to HTTPS client/i;

const ACCESS =
  /\b(unauthorized|denied|forbidden)\b|no basic auth|authentication required|authorization failed|incorrect username/i;

/**
 * A registry, a network or a cut connection, as Go's HTTP clients describe them. A bare `EOF` is
 * upper case, as in no name.
 */
const AWAY =
  /dial tcp|no such host|i\/o timeout|connection (refused|reset|timed out)|TLS handshake timeout|Client\.Timeout|deadline exceeded|request canceled|network is unreachable|no route to host|broken pipe|service unavailable|bad gateway|internal server error|GOAWAY|stream error|client connection lost|bad record MAC|closed network connection|short read|failed size validation|expected HTTP 206/i;
const CUT = /\bEOF\b/;

/**
 * Content that another call removed from the containerd store during the pull, such as `docker image
 * prune` (moby#53335).
 */
const REMOVED =
  /lease does not exist|content digest .*not found|commit failed: rename .*no such file|parent snapshot .*does not exist/i;

/** Refusals of a login as such. "Denied" can also mean a wrong name. */
const BAD_LOGIN =
  /no basic auth|authentication required|incorrect username|token (has )?expired|\bunauthorized\b|\b401\b/i;

const UNUSABLE = /media ?type|unsupported|schema ?1/i;

const INCOMPLETE = /unknown blob|could not fetch content descriptor|blob unknown/i;
const MISSING = /(manifest|name) unknown|repository name not known|\bnot found\b/i;

/** A registry's own words, whose code the containerd store drops, so that they can mean anything. */
const UNCODED = /^error from registry:/;

/**
 * The remedy for a refused pull. It goes by the engine's words, since the engine answers 500 for a
 * registry's 401, 429 and 503 or sends them after a 200, but never by a word in a name.
 */
export function pullRemedy({ message, status: answerStatus }: PullRefusal, subject: PullSubject): Remedy {
  const { image, by, platform } = subject;
  const text = wordsOf(message, image);
  const status = answerStatus === LIMITED ? LIMITED : statusIn(text);

  if (/invalid reference format|repository name must be|invalid checksum digest|cannot contain/i.test(text)) {
    return chosen(`"${image}" is not a valid image name: correct it in the deployment settings.`);
  }
  if (UNKNOWN_PLATFORM.test(text)) return chosen(UNKNOWN_PLATFORM_ADVICE);
  if (PLATFORM.test(text)) {
    return chosen(
      `Use an image built for ${platform ?? 'this platform'}, or a runner pool of another platform.`,
    );
  }

  if (status === LIMITED || LIMITED_WORDS.test(text)) return passing(limitAdvice(by));

  const full = hostAdvice(text, 'images');
  if (full !== undefined) return broken(full);

  if (REMOVED.test(text)) {
    return passing(
      'Another program removed content while it was pulled, such as docker image prune: run none during jobs.',
    );
  }
  if (TRUST.test(text)) {
    return broken(
      "Make the engine trust the registry: install its certificate in the engine's certs.d, or list it under insecure-registries.",
    );
  }

  if (status !== undefined && status >= 500) return passing(AWAY_ADVICE);
  if (AWAY.test(text) || CUT.test(text)) return passing(AWAY_ADVICE);

  // "pull access denied … may require 'docker login'" stands for both a wrong name and missing
  // credentials.
  if (DENIED.includes(status ?? 0) || ACCESS.test(text)) {
    const advice = accessAdvice(by);
    return by === 'runner' && BAD_LOGIN.test(text) ? broken(advice) : chosen(advice);
  }

  if (INCOMPLETE.test(text)) return chosen('The registry lacks a part of the image: push the image again.');
  if (status === 404 || MISSING.test(text)) {
    return chosen("Check the image's name and tag: the registry has no such image.");
  }

  if (UNCODED.test(text)) return passing("See the registry's status, or try again later.");
  const advice = 'Check the image, and that the engine can pull it (`docker pull` shows the same error).';
  return UNUSABLE.test(text) ? chosen(advice) : broken(advice);
}

const AWAY_ADVICE = 'Check that the engine reaches the registry (network, proxy of the engine).';

/** A deployment's choice was refused: its image's name, tag, platform or format, or its access to it. */
function chosen(advice: string): Remedy {
  return { passes: false, fault: 'deployment', advice };
}

/** The runner, its login or its network can't pull. */
function broken(advice: string): Remedy {
  return { passes: false, fault: 'elsewhere', advice };
}

function passing(advice: string): Remedy {
  return { passes: true, fault: 'elsewhere', advice };
}

function limitAdvice(by: PullSubject['by']): string {
  const others = 'pull through a cache or a mirror, or try again later';
  return by === undefined
    ? `The registry's rate limit is reached, which is lowest without a login: set credentials for it in the deployment settings, run docker login on the runner, ${others}.`
    : `The registry's rate limit is reached, although the pull was signed in: ${others}.`;
}

function accessAdvice(by: PullSubject['by']): string {
  if (by === undefined) {
    return "Check the image's name; if it is private, set credentials for its registry in the deployment settings, or run docker login on the runner.";
  }
  const where = by === 'job' ? 'in the deployment settings' : "of the runner's Docker configuration";
  return `Check the image's name, and that the credentials ${where} can read it.`;
}

/** The engine's words without the image's name and without a body that isn't the registry's JSON. */
function wordsOf(message: string, image: string): string {
  const { registry, repository, tag } = parseReference(image);
  const [name = image] = image.split('@', 1);
  const path = repository.slice(registry.length + 1);
  // A bare word such as `denied` stays, which would be the engine's as well.
  const names = [image, name, repository, path, registry].filter((each) => /[/:.]/.test(each));

  let text = message;
  for (const each of names) text = text.replaceAll(each, 'NAME');
  // Podman names the tag apart: `reading manifest 403 in NAME`.
  if (tag !== undefined) text = text.replaceAll(`manifest ${tag} in`, 'manifest TAG in');

  return withoutNames(text).replace(/(response body): .*$/s, '$1');
}

/**
 * The registry's status in an engine's words: `unexpected HTTP status: 503`, `HTTP 403 response`, the
 * title of a proxy's page.
 */
function statusIn(text: string): number | undefined {
  const [, status] = /(?:\bstatus\b[^<]*?|\bHTTP |<title>)([45]\d\d)\b/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}
