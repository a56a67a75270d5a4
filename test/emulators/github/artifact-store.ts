import {
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { BlobStore } from './azurite.ts';

// The development account every Azurite knows; published by Microsoft, no secret.
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const CONTAINER = 'actions-results';
const URL_LIFETIME_MS = 3_600_000;

/** The blobs behind the artifact service, and the signed URLs through which a job reaches them. */
export class ArtifactStore {
  readonly #credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
  readonly #blobs: Promise<BlobStore>;
  readonly #publicPort: number;
  #container: Promise<ContainerClient> | undefined;

  /** @param publicPort the loopback port that signed URLs name */
  constructor(blobs: Promise<BlobStore>, publicPort: number) {
    this.#blobs = blobs;
    this.#publicPort = publicPort;
  }

  /** A URL good for one hour, to upload the blob. */
  async signedUrl(blob: string): Promise<string> {
    await this.#open();
    const signature = generateBlobSASQueryParameters(
      {
        containerName: CONTAINER,
        blobName: blob,
        permissions: BlobSASPermissions.parse('cw'),
        expiresOn: new Date(Date.now() + URL_LIFETIME_MS),
        protocol: SASProtocol.HttpsAndHttp,
      },
      this.#credential,
    );
    return `http://127.0.0.1:${this.#publicPort}/${ACCOUNT}/${CONTAINER}/${blob}?${signature}`;
  }

  /** The blob's bytes; undefined when nothing was committed. */
  async read(blob: string): Promise<Buffer | undefined> {
    const client = (await this.#open()).getBlockBlobClient(blob);
    return (await client.exists()) ? client.downloadToBuffer() : undefined;
  }

  #open(): Promise<ContainerClient> {
    this.#container ??= this.#blobs.then(async ({ url }) => {
      // A kept connection may be closed by the store just when it is used again.
      const keepAliveOptions = { enable: false };
      const service = new BlobServiceClient(url, this.#credential, { keepAliveOptions, retryOptions: { maxTries: 1 } });
      const container = service.getContainerClient(CONTAINER);
      await container.createIfNotExists();
      return container;
    });
    return this.#container;
  }
}
