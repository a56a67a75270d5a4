/**
 * Formats to be known by how they begin, as their vendors document them, and lines of a known form.
 */
const FORMATS = new RegExp(
  [
    String.raw`(?<![\w-])pul-[0-9a-f]{4}`,
    '(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|[srp]k_(?:live|test)_|whsec_)[A-Za-z0-9]{4}',
    String.raw`(?<![\w-])(?:gl(?:pat|[drc]t|cbt|ptt|ft|imt|agent|soat)-|xox[a-z]-|xapp-|AGE-SECRET-KEY-)\w`,
    // LaunchDarkly's keys are UUIDs otherwise.
    String.raw`(?<![\w-])(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-`,
    String.raw`(?<![\w.])(?:hv[sbr]\.|s\.(?=[A-Za-z0-9]{24}(?!\w)))\w`,
    '(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{12}|NRAK-[A-Z0-9]{20}',
    // A JSON web token's header is JSON in base64; JWS and JWE have a dot after it.
    String.raw`(?<![\w-])eyJ[\w-]+\.[\w-]`,
    '---- ?BEGIN ',
    String.raw`(?<!\w)jdbc:oracle:\w{1,10}:[^\s/@]{1,100}/[^\s@]{1,100}@`,
    // A line of a .pgpass file; a URL's authority without a scheme, as proxies are often given.
    String.raw`^[^\s:]{1,200}:(?:\d{1,5}|\*):[^\s:]{1,200}:[^\s:]{1,200}:[^\s:]+$`,
    String.raw`^(?!(?:mailto|acct|sips?):)[^\s:@/]{1,200}:[^\s@/]{1,200}@(?!\d+(?:\.\d+){0,2}$)[\w.-]{1,200}(?::\d{1,5})?/?$`,
    String.raw`(?<!\w)Bearer\s{1,4}[\w.~+/-]{4}`,
    String.raw`^(?:Basic|Token)\s{1,4}[\w.~+/-]{8,}={0,2}$`,
  ].join('|'),
  'm',
);

const HEX_DIGITS = /[0-9a-f]{32}|[0-9A-F]{32}/;

/**
 * Text with many digits and letters that is public: UUIDs, digests that say so, IDs such as
 * `ami-0c55b159cbfafe1f0`.
 */
const PUBLIC_ID =
  /(?<![0-9A-Fa-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9A-Fa-f])|(?<!\w)sha(?:1|256|384|512)[:-](?:[0-9a-f]{40,128}(?!\w)|[A-Za-z0-9+/]{43,88}={0,2})|(?<![A-Za-z0-9])[0-9a-f]{3,17}(?![A-Za-z0-9])/gi;

/**
 * A name before `=`, `:` or `>`, with a value behind it, which can be the next name: JSON, YAML,
 * INI, URL queries, connection strings, HTTP headers. Not `secret` in an AWS secret's ARN, behind
 * the account's number.
 */
const PAIR =
  /(?<!\w|\d:)([A-Za-z_][\w.-]{0,63}(?: [\w.-]{1,20}){0,2})["'\\]{0,4}\s{0,4}(?:=>|[:=>])["'\s\\[]{0,8}(?=([^\s"'\\,;&<>\]]{1,80}))/g;

/** The last word of a name whose value is a credential. */
const CREDENTIAL_FIELD =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|(?:API|ACCESS|ACCOUNT|SECRET|PRIVATE|SIGNING|ENCRYPTION|SUBSCRIPTION|MASTER)KEY|AUTH|AUTHORIZATION|SAS|SIG|SIGNATURE|COOKIE)$/;

/**
 * A switch, a very small number, the beginning of something nested, or the name of what will be put
 * there.
 */
const PLACEHOLDER =
  /^(?:[Tt]rue|[Ff]alse|null|[Nn]one|yes|no|\d{1,3}|\*+|\$[A-Z_][A-Z0-9_]*|\$?\{.*|\$\(.*|%\w+%)$/;

/**
 * `--password VALUE` and `-u NAME:VALUE`, as commands take them, and `login NAME password VALUE` of
 * a .netrc file.
 */
const OPTION =
  /(?<![\w-])(?:-u|--user)\s{1,4}(?!\d)[^\s:]{1,100}:[^\s/$]|(?:--[\w-]{0,40}|login\s{1,4}\S{1,100}\s{1,4})(?:password|passwd|token|secret|api-key)\s{1,4}[^\s$-]/i;

/** Characters in which base64 may hide text: shorter pieces are judged as they are. */
const BASE64 = /[A-Za-z0-9+/_-]{40,}={0,2}/g;

/**
 * The letters that follow each letter in most words: 300 of the 676 pairs make up 94 % of those in
 * 18,700 English and technical words; of drawn letters, 44 %.
 */
const FOLLOWERS =
  'aabcdfgiklmnprstuvwxy baceilorsuy cacdehiklmorstu dacdefilorsu eabcdefgilmnopqrstuvwxy faefilorstu gaehilnorsu haeiortuy iabcdefgklmnoprstvxz jaeos kaeios lacdefilopstuy mabeilmopsu nacdefgiklnopstuvy oabcdefgiklmnoprstuvw pacehiloprstuy qu rabcdefgiklmnoprstuvy sacdefhiklmnopqstuy tacdefhilmoprstuy uabcdefgilmnprst vaeio waehiors xeipt yalnpst zaei';

/** A text looks drawn from 20 characters on, with more than this many breaks in some 24 of them. */
const SHORTEST_DRAWN = 20;
const WINDOW = 24;
const MOST_BREAKS = 7;

/**
 * True if a value has a credential's shape, or contains one. Takes time in proportion to the
 * value's length.
 */
export function hasCredentialShape(value: string): boolean {
  return hasShape(value.trim(), 2);
}

/** As above; base64 of text counts as that text, within base64 of text once more. */
function hasShape(value: string, depth: number): boolean {
  if (FORMATS.test(value) || OPTION.test(value) || hasUrlPassword(value) || hasCredentialField(value))
    return true;

  const texts: string[] = [];
  const bare = value.replace(PUBLIC_ID, '-');
  if (HEX_DIGITS.test(bare)) return true;

  const judged = bare.replace(BASE64, (piece) => {
    const text = depth > 0 ? textOf(piece) : undefined;
    if (text === undefined) return piece;
    texts.push(text);
    return ' ';
  });

  return looksDrawn(judged) || texts.some((text) => hasShape(text, depth - 1));
}

/**
 * True for `scheme://user:password@`, and for a web address with a user: that is a token more often
 * than a name.
 */
function hasUrlPassword(value: string): boolean {
  return value
    .split('@')
    .slice(0, -1)
    .some((piece) => {
      const [, scheme = '', user, password] =
        /(\w{0,10}):\/\/(?:([^\s"'<>:/?#]*)(?::([^\s"<>]*))?)$/.exec(piece.slice(-1_000)) ?? [];
      if (user === undefined) return false;
      if (password === undefined) return /^https?$/i.test(scheme) && !/^(?:git)?$/.test(user);
      // Up to a slash it may be a port.
      return password !== '' && !/^\d{1,5}[/?#]/.test(password) && !PLACEHOLDER.test(password);
    });
}

function hasCredentialField(value: string): boolean {
  for (const [, name = '', text = ''] of value.matchAll(PAIR))
    if (CREDENTIAL_FIELD.test(name.replace(/[\W_]/g, '').toUpperCase()) && !PLACEHOLDER.test(text))
      return true;
  return false;
}

/** The text that a piece of base64 stands for; undefined if it stands for other bytes. */
function textOf(piece: string): string | undefined {
  const text = Buffer.from(piece, 'base64').toString('utf8');
  return /(?!\s)\p{Cc}|\ufffd/u.test(text) ? undefined : text;
}

/**
 * For each pair of ASCII characters, 1 if a word, a number or a name of several words hardly ever
 * has it.
 */
const BREAKS = breaks();

function breaks(): Uint8Array {
  const followers = new Map(FOLLOWERS.split(' ').map((line) => [line[0], line.slice(1)]));
  const table = new Uint8Array(128 * 128);

  for (let first = 0; first < 128; first++)
    for (let second = 0; second < 128; second++) {
      const [one, two] = [String.fromCharCode(first), String.fromCharCode(second)];
      table[first * 128 + second] = Number(isBreak(one, two, followers.get(one.toLowerCase()) ?? ''));
    }

  return table;
}

function isBreak(first: string, second: string, followers: string): boolean {
  const pair = first + second;
  if (/^[A-Za-z]{2}$/.test(pair))
    return /^[a-z][A-Z]$/.test(pair) || !followers.includes(second.toLowerCase());

  // Words and numbers meet at separators such as `-` and `=`; other signs stand next to them in
  // passwords.
  return (
    /^(?:[A-Za-z]\d|\d[A-Za-z])$/.test(pair) ||
    (/[A-Za-z\d]/.test(pair) && /[!#$%^*~|&?<>(){}+[\]]/.test(pair))
  );
}

/** True if white space or quotes bound a text that looks drawn at random, by its breaks. */
function looksDrawn(value: string): boolean {
  for (const [text] of value.matchAll(/[^\s"'\\]+/g)) {
    if (text.length < SHORTEST_DRAWN) continue;
    let count = 0;
    for (let at = 1; at < text.length; at++) {
      count += breakAt(text, at);
      if (at >= WINDOW) count -= breakAt(text, at - WINDOW + 1);
      if (count > MOST_BREAKS) return true;
    }
  }

  return false;
}

function breakAt(text: string, at: number): number {
  const [first, second] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return first < 128 && second < 128 ? (BREAKS[first * 128 + second] ?? 0) : 0;
}

/** Stands for a line that isn't shown. */
const HIDDEN = '*** (a line that looks like a credential)';

/**
 * What a program that handles credentials printed, such as an error of curl, without the lines that
 * look like one; nothing of it if one goes across lines.
 */
export function withoutCredentials(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => (hasCredentialShape(line) ? HIDDEN : line));
  const visible = lines.filter((line, index) => line !== HIDDEN || lines[index - 1] !== HIDDEN);
  const isSplit = hasCredentialShape(visible.filter((line) => line !== HIDDEN).join('\n'));
  return isSplit ? HIDDEN : visible.join('\n');
}
