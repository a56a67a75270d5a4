import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { programPath } from '../script.ts';

/** A page and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Console errors and warnings, exceptions, dialogs. */
  readonly complaints: string[];
  /** URLs that it requested, except its own. */
  readonly requests: string[];
}

/**
 * A Chromium for the tests of one file, in a time zone with an odd offset. Its pages can't reach anything: all requests
 * are recorded and refused, except to open a local file.
 */
export function useBrowser(): { open(): Promise<WatchedPage> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const executablePath = await programPath('chromium');
    const args = [
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ];
    browser = await chromium.launch({
      executablePath,
      // A container lacks the namespaces and the second user that it needs.
      chromiumSandbox: false,
      args: [...args, '--disable-gpu', '--disable-quic'],
    });
  }, 180_000);
  afterAll(async () => browser?.close());
  return {
    open: async () => {
      if (browser === undefined) throw new Error('the browser was not started');
      return await watched(
        await browser.newPage({ viewport: { width: 1_012, height: 700 }, timezoneId: 'Asia/Kathmandu' }),
      );
    },
  };
}

async function watched(page: Page): Promise<WatchedPage> {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.route('**', async (route) => {
    const url = route.request().url();
    if (url.startsWith('file:') && route.request().isNavigationRequest()) return await route.continue();
    requests.push(url);
    await route.abort();
  });
  return { page, complaints, requests };
}
