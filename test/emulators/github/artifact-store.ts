import {
  BlobSASPermissions,
  BlobServiceClient,
  type BlockBlobClient,
  type ContainerClient,
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
  readonly #blobs: Promise<BlobStore>;
  #container: Promise<ContainerClient> | undefined;

  constructor(blobs: Promise<BlobStore>) {
    this.#blobs = blobs;
  }

  /** A URL good for one hour, to upload the blob. */
  async signedUrl(blob: string): Promise<string> {
    return (await this.#client(blob)).generateSasUrl({
      permissions: BlobSASPermissions.parse('cw'),
      expiresOn: new Date(Date.now() + URL_LIFETIME_MS),
      protocol: SASProtocol.HttpsAndHttp,
    });
  }

  /** The blob's bytes; undefined when nothing was committed. */
  async read(blob: string): Promise<Buffer | undefined> {
    const client = await this.#client(blob);
    return (await client.exists()) ? client.downloadToBuffer() : undefined;
  }

  async #client(blob: string): Promise<BlockBlobClient> {
    this.#container ??= this.#blobs.then(async ({ url }) => {
      // A kept connection may be closed by the store just when it is used again.
      const options = { keepAliveOptions: { enable: false }, retryOptions: { maxTries: 1 } };
      const service = new BlobServiceClient(url, new StorageSharedKeyCredential(ACCOUNT, KEY), options);
      const container = service.getContainerClient(CONTAINER);
      await container.createIfNotExists();
      return container;
    });
    return (await this.#container).getBlockBlobClient(blob);
  }
}
