/** The words of engines, clusters and registries: as parts of our own sentences, and remedies by them. */

/** Characters of a foreign text that go into a sentence. */
const TEXT_LIMIT = 500;

/** A foreign text as part of a sentence: one line, cut, without the full stop at its end. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return (line.length > TEXT_LIMIT ? `${line.slice(0, TEXT_LIMIT)}…` : line).replace(/\.+$/, '');
}

const NO_SPACE = /no space left on device|disk quota exceeded/i;

/** Refusals of a platform that doesn't exist, as containerd's parser words them for every engine. */
export const UNKNOWN_PLATFORM = /unknown operating system or architecture|platform specifier/i;
export const UNKNOWN_PLATFORM_ADVICE = 'Correct the platform that the deployment asks for.';

/** Also Podman's netavark calls iptables. */
const FIREWALL =
  /\b(ip6?tables|nftables|nft)\b.*(failed|No chain|does not exist|exit status)|Failed to Setup IP tables/is;

/**
 * The remedy for a full disk or for missing firewall rules, for which any call to an engine can fail;
 * undefined for any other refusal. `text` is the engine's, and `contents` needs its disk space.
 */
export function hostAdvice(text: string, contents: 'images' | 'containers' | 'networks'): string | undefined {
  if (NO_SPACE.test(text)) return `Free disk space for the engine's ${contents}.`;
  if (FIREWALL.test(text))
    return "Restart the engine, which then makes its firewall rules again: the host's firewall has removed them, or the engine can't set them.";
  return undefined;
}

/** An engine's text without its paths, addresses and digests, whose words say nothing of the cause. */
export function withoutNames(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"]*/gi, 'URL')
    .replace(/\bsha256:[0-9a-f]+/gi, 'DIGEST')
    .replace(/(?<![\w.<])\/[^\s":<>]+/g, 'PATH')
    .replace(/(\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)*):\d{2,5}\b/gi, 'ADDRESS');
}
