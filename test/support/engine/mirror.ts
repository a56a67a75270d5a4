import { hash } from 'node:crypto';
import { ScriptedServer } from '../cloud/scripted-server.ts';

export interface MirrorOptions {
  /** By path below the server's root. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Lengths after which the first answers with an archive are cut, in bytes. */
  readonly cuts?: readonly number[];
  /** Resolves when so many bytes of the archive have come to where they go; only then is the connection cut. */
  readonly arrived?: (bytes: number) => Promise<unknown>;
  /** Bytes after which archives stop coming, while the connection stays. */
  readonly stallAfter?: number;
  /** Answers each request with the whole file. */
  readonly withoutRanges?: boolean;
  /** Where each request is led to instead. */
  readonly redirect?: string;
}

/** A web server that has the files of releases, and continues a download as RFC 9110 says (sections 13.1.5 and 14.2). */
export function startMirror({
  files,
  cuts = [],
  arrived = async () => undefined,
  stallAfter,
  withoutRanges = false,
  redirect,
}: MirrorOptions): Promise<ScriptedServer> {
  const left = [...cuts];
  return ScriptedServer.start(({ path, headers }) => {
    if (redirect !== undefined) return { status: 302, headers: { location: `${redirect}${path}` } };
    const file = files.get(path);
    if (file === undefined) return { status: 404, text: 'Not Found' };
    const etag = `"${hash('sha256', file)}"`;
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const continues = !withoutRanges && headers.range !== undefined && headers['if-range'] === etag;
    const start = continues ? Number(from) : 0;
    const cut = path.endsWith('.tar.gz') ? left.shift() : undefined;
    return (response) => {
      response.writeHead(continues ? 206 : 200, {
        'content-length': file.length - start,
        etag,
        ...(continues && { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` }),
      });
      if (stallAfter !== undefined && path.endsWith('.tar.gz')) response.write(file.subarray(0, stallAfter));
      else if (cut === undefined) response.end(file.subarray(start));
      else {
        response.write(file.subarray(start, start + cut));
        void arrived(start + cut).finally(() => response.destroy());
      }
    };
  });
}
