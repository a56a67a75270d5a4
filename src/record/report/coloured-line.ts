/** Text of one look: the plain one, or classes of the page's style such as `c1 bold`. */
export type Piece = string | readonly [text: string, look: string];

interface Look {
  /** Of the sixteen basic colours. */
  readonly colour?: number | undefined;
  readonly bold?: boolean;
  readonly faint?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
}

const PLAIN: Look = {};

const BASIC_COLOURS = 16;

/** Beside the basic colours, the palette of 256 has a cube of 6 × 6 × 6 and then greys. */
const FIRST_GREY = 232;
const FIRST_LIGHT_GREY = 242;

/**
 * A line in which every escape sequence is SGR (`plainLine` with `colours`), as pieces without any. Backgrounds and hidden
 * text are shown plain. A colour of a larger palette becomes the nearest basic one: the page's policy allows no inline
 * styles, and each basic one can be read on the page's background.
 */
export function colouredLine(text: string): Piece[] {
  const [first = '', ...rest] = text.split('\u001b[');
  const pieces: Piece[] = [];
  let look = PLAIN;
  append(pieces, first, look);

  for (const part of rest) {
    const end = part.indexOf('m');
    look = lookAfter(look, part.slice(0, end));
    append(pieces, part.slice(end + 1), look);
  }

  return pieces;
}

/** Adds to the last piece if that looks the same: a hostile line has a sequence before each character. */
function append(pieces: Piece[], text: string, look: Look): void {
  if (text === '') return;
  const classes = classesOf(look);
  const last = pieces.at(-1);
  const [before, classesBefore] = typeof last === 'string' ? [last, ''] : (last ?? ['', undefined]);
  const isSame = classesBefore === classes;
  const whole = isSame ? before + text : text;
  if (isSame) pieces.pop();
  pieces.push(classes === '' ? whole : [whole, classes]);
}

function classesOf({ colour, ...styles }: Look): string {
  const names = Object.entries(styles).flatMap(([name, isOn]) => (isOn ? [name] : []));
  return [...(colour === undefined ? [] : [`c${colour}`]), ...names].join(' ');
}

/** SGR parameters (ECMA-48, 8.3.117), with the colours of ITU T.416 in both their notations: `38;5;9`, `38:5:9`. */
function lookAfter(before: Look, parameters: string): Look {
  let look = before;
  const rest = parameters.split(';');

  while (rest.length > 0) {
    const [code = 0, ...sub] = (rest.shift() ?? '').split(':').map(Number);
    if (code === 38 || code === 48) {
      const values = sub.length > 0 ? sub : rest.splice(0, rest[0] === '2' ? 4 : 2).map(Number);
      if (code === 38) look = { ...look, colour: paletteColour(values) };
    } else look = lookOf(look, code);
  }

  return look;
}

function lookOf(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, faint: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 22) return { ...look, bold: false, faint: false };
  if (code === 23) return { ...look, italic: false };
  if (code === 24) return { ...look, underline: false };
  if (code === 39) return { ...look, colour: undefined };
  if (code >= 30 && code <= 37) return { ...look, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, colour: code - 90 + 8 };
  return look;
}

/** The basic colour nearest to `5, n` of the palette of 256 or to `2, red, green, blue`. */
function paletteColour([mode, ...values]: readonly number[]): number | undefined {
  if (mode === 2) {
    const [red = 0, green = 0, blue = 0] = values.slice(-3);
    return nearest(red, green, blue);
  }

  const [index = Number.NaN] = values;
  if (mode !== 5 || !(index >= 0 && index <= 255)) return undefined;
  if (index < BASIC_COLOURS) return index;
  if (index >= FIRST_GREY) return index >= FIRST_LIGHT_GREY ? 7 : 8;
  const cube = index - BASIC_COLOURS;
  const level = (unit: number): number => (Math.floor(cube / unit) % 6) * 51;
  return nearest(level(36), level(6), level(1));
}

/** Levels from 0 to 255. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most >= 128 ? 7 : 8;
  const isOn = (level: number) => (level > most / 2 ? 1 : 0);
  return isOn(red) + 2 * isOn(green) + 4 * isOn(blue) + (most > 220 ? 8 : 0);
}
