/** The version of both programs; a test compares it with package.json. */
export const VERSION = '1.0.0';
