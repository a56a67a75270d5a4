import { quoteValue } from './quote.ts';

/** The characters of an image's name, and of a pattern, as regular expressions without anchors; what follows below is stricter. */
export const IMAGE_NAME = '[A-Za-z0-9][A-Za-z0-9_./:@-]*';
export const IMAGE_PATTERN = '[A-Za-z0-9*][A-Za-z0-9_./:@*-]*';
const [WHOLE_NAME, WHOLE_PATTERN] = [IMAGE_NAME, IMAGE_PATTERN].map((text) => new RegExp(`^${text}$`)) as [
  RegExp,
  RegExp,
];

/** What is wrong with an image's name, as a clause; whether there is such an image is for its registry to say. */
export function imageNameProblem(text: string): string | undefined {
  return WHOLE_NAME.test(text) && !text.includes('..') ? undefined : `${quoteValue(text)} is not an image name`;
}

/** What is wrong with a pattern of images, as a clause. */
export function imagePatternProblem(text: string): string | undefined {
  const [name = '', digest, ...more] = text.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const components = path.split('/');
  if (!WHOLE_PATTERN.test(text) || text.includes('..') || components.includes('') || more.length > 0 || tag === '')
    return `${quoteValue(text)} is not a pattern of images`;
  if (digest !== undefined && !/^sha256:[0-9a-f*]+$/.test(digest))
    return `${quoteValue(text)} has a digest that is none; write sha256: and 64 digits, or sha256:*`;
  if (digest !== undefined && tag !== undefined)
    return `${quoteValue(text)} has a tag and a digest; keep the digest, which alone says what runs`;
  if (path !== path.toLowerCase()) return `${quoteValue(text)} is in upper case, which names of images never are`;
  if (components.some((component) => component.includes('**') && component !== '**') || tag?.includes('**'))
    return `${quoteValue(text)} holds ** beside other characters; it stands for whole parts of a path`;
  return undefined;
}
