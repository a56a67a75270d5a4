import type { KeyDefinition } from '../key-definition.ts';

/** Ours that say which images may run, which are pulled ahead, and what jobs hand to each other. */
export const IMAGE_KEYS = {
  allowed_images: {
    type: 'image-patterns',
    extension: true,
    default: '',
    help: 'Patterns of the images that may run, without a registry on Docker Hub; empty: any.',
  },
  require_digest: {
    type: 'boolean',
    extension: true,
    default: 'false',
    help: 'Run only images that are named by their digest, as in name@sha256:….',
  },
  prepull_images: {
    type: 'images',
    extension: true,
    target: 'docker',
    default: '',
    help: 'Images to pull while waiting for work, so that a job finds them there.',
  },
  cache_volume: {
    type: 'volume',
    extension: true,
    target: 'docker',
    help: 'name=/path of a volume that stays when its job goes; jobs can hand each other files in it.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
