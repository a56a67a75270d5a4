import { expect, it } from 'vitest';
import { looksLikeCredential } from '../../../src/log/credential-shape.ts';

/** Values as definitions have them: names, addresses, resources, versions, times, configuration. */
const PLAIN = `
arn:aws:iam::123456789012:role/deploy-production-network
arn:aws:s3:::acme-terraform-state-eu-west-1/*
arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab
arn:aws:lambda:us-east-1:123456789012:function:OrderProcessor:PROD
/subscriptions/1f2e3d4c-5b6a-7980-a1b2-c3d4e5f60718/resourceGroups/rg-network/providers/Microsoft.Network/virtualNetworks/vnet-prod
projects/acme-prod-314159/locations/europe-west1/keyRings/main/cryptoKeys/state
//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/github/providers/actions
deployer@acme-prod-314159.iam.gserviceaccount.com
6f0c1a9e-4b1d-4f53-9a0e-7d1f2b3c4d5e
registry.example.com:5000/platform/pulumi-runner@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
123456789012.dkr.ecr.eu-central-1.amazonaws.com/platform/api:1.42.0-rc.3
ghcr.io/acme/infra-tools:2026-11-26
https://console.aws.amazon.com/cloudformation/home?region=eu-west-1#/stacks
https://hooks.example.com/services/deployments
https://acme.okta.com/oauth2/default/.well-known/openid-configuration
https://vault.internal.example.com:8200
postgres://db.internal.example.com:5432/orders?sslmode=require
amqps://rabbitmq.example.com:5671/vhost
Server=tcp:sql-prod.database.windows.net,1433;Database=orders;Encrypt=true;
s3://acme-pulumi-state?region=eu-west-1&awssdk=v2
azblob://pulumi-state
gs://acme-pulumi-state-europe
awskms://alias/pulumi-secrets?region=eu-west-1
azurekeyvault://acme-vault.vault.azure.net/keys/pulumi
infra-v2
pr-web-123
feature/JIRA-1234-add-private-endpoints
refs/heads/release/2026.11
v1.33.13+k3s1
go1.26.6
node-v24.21.0-linux-x64
2026-11-26T13:22:52.506Z
0 3 * * 1-5
Mon, 26 Nov 2026 13:22:52 GMT
10.0.0.0/16,10.1.0.0/16,192.168.10.0/24
fd12:3456:789a:1::/64
vpc-0a1b2c3d4e5f67890
subnet-0fedcba9876543210,subnet-0123456789abcdef0
sg-0123456789abcdef0
ami-0abcdef1234567890
i-0abcd1234efgh5678
Z3P5QSUBK4POTI
t3.2xlarge,m6i.4xlarge
Standard_D4s_v5
europe-west1-b
prod.eu-central-1.example.internal
/usr/local/share/ca-certificates/acme-root.crt
/home/runner/work/_temp/pulumi-runner
/opt/hostedtoolcache/node/24.21.0/x64/bin
{"replicas":3,"image":"api","region":"eu-west-1"}
["10.0.1.0/24","10.0.2.0/24"]
{"team":"platform","costCenter":"4711","owner":"network@example.com"}
team=platform;env=prod;cost-center=4711
--max-old-space-size=4096
-Xmx2g -XX:+UseG1GC -Dfile.encoding=UTF-8
AdministratorAccess
acme-prod-kubernetes-cluster-01
my_very_long_resource_group_name_for_production
NetworkStackProductionEuropeWest
CN=acme-root,O=Acme Inc,C=DE
+49 89 1234567
(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna
1.2.3.4:8443
us-east-1a,us-east-1b,us-east-1c
application/vnd.pulumi+8
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
en_US.UTF-8
%{time} %{message}
ocid1.compartment.oc1..exampleuniqueID
crn:v1:bluemix:public:kms:us-south:a/project
pulumi:tags:owner=network-team
ssh-ed25519
github.com/acme/infrastructure/sdk/v3/go/platform
registry.npmjs.org/@acme/platform-components
acme/network/prod
https://app.pulumi.com/acme/network/prod/deployments/1042
https://login.microsoftonline.com/1f2e3d4c-5b6a-7980-a1b2-c3d4e5f60718/v2.0
eu-west-1_Ab1Cd2Ef3
E2QWRUHAPOMQZL
`;
/** Public values with a long random part that no rule of ours knows: hidden too. */
const TAKEN = `
arn:aws:elasticloadbalancing:us-west-2:123456789012:loadbalancer/app/my-load-balancer/50dc6c495c0c9188
AWSReservedSSO_AdministratorAccess_1a2b3c4d5e6f7a8b
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
`;

/** Numbers from 0 to below 1 that are the same in every run (a linear congruential generator). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
const next = generator(30);
const random = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join('');

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const BASE62 = `${UPPER}${LOWER}${DIGITS}`;
const HEX = `${DIGITS}abcdef`;
const lines = (text: string) => text.trim().split('\n');

it.each(lines(PLAIN))('%s is no credential', (value) => {
  expect(looksLikeCredential(value)).toBe(false);
});

it.each(lines(TAKEN))('%s is taken for one', (value) => {
  expect(looksLikeCredential(value)).toBe(true);
});

it.each([
  ['Pulumi', `pul-${random(HEX, 40)}`],
  ['GitHub', `ghp_${random(BASE62, 36)}`],
  ['GitHub, fine-grained', `github_pat_${random(BASE62, 22)}_${random(BASE62, 59)}`],
  ['GitLab', `glpat-${random(BASE62, 20)}`],
  ['Slack', `xoxb-${random(DIGITS, 11)}-${random(BASE62, 24)}`],
  ['Vault', `hvs.${random(BASE62, 24)}`],
  ['Stripe', `sk_live_${random(BASE62, 24)}`],
  ['AWS, an ID', `AKIA${random(`${UPPER}234567`, 16)}`],
  ['AWS, a secret', random(`${BASE62}+/`, 40)],
  ['Google, an API key', `AIza${random(BASE62, 35)}`],
  ['npm', `npm_${random(BASE62, 36)}`],
  ['SendGrid', `SG.${random(BASE62, 22)}.${random(BASE62, 43)}`],
  ['Datadog', random(HEX, 32)],
  ['a JWT', `eyJ${random(BASE62, 17)}.eyJ${random(BASE62, 60)}.${random(BASE62, 43)}`],
  ['PEM', `-----BEGIN PRIVATE ${'KEY'}-----\n${random(BASE62, 64)}\n`],
  ['a password in a URL', `postgres://orders:${random(LOWER, 9)}@db.example.com/orders`],
  ['Azure storage', `DefaultEndpointsProtocol=https;AccountName=acme;Account${'Key'}=${random(BASE62, 86)}==`],
  ['SQL Server', `Server=tcp:sql.example.com,1433;User=app;Pass${'word'}=${random(LOWER, 8)};`],
  ['a header', `Authorization: Bearer ${random(BASE62, 30)}`],
  ['JSON', `{"user":"app","client_secret":"${random(LOWER, 10)}"}`],
  ['an .npmrc', `//registry.example.com/:_auth${'Token'}=${random(BASE62, 24)}`],
  ['a SAS', `sv=2026-10-06&ss=b&srt=co&sig=${random(BASE62, 43)}%3D`],
])('a credential of %s is found', (_, value) => {
  expect(looksLikeCredential(value)).toBe(true);
  expect(looksLikeCredential(`before ${value} after`)).toBe(true);
});

// docs/security.md quotes the greatest of these.
it.each([
  ['base62', BASE62, 0.5],
  ['base64', `${BASE62}+/`, 2.5],
  ['base64url', `${BASE62}-_`, 2.5],
  ['base32', `${UPPER}234567`, 3],
  ['lower case and digits', `${LOWER}${DIGITS}`, 1],
  ['hexadecimal', HEX, 0.5],
])('of random %s at 20 characters few are missed, and at 32 hardly any', (_, alphabet, percent) => {
  const missed = (length: number, count: number) =>
    (100 *
      Array.from({ length: count }, () => random(alphabet, length)).filter((it) => !looksLikeCredential(it)).length) /
    count;
  expect(missed(20, 4_000)).toBeLessThan(percent);
  expect(missed(32, 4_000)).toBeLessThan(0.5);
});

it('a long value takes as long as it is long', () => {
  const began = performance.now();
  for (const part of ['a', 'aB', 'Ab', 'x1-', '=:', 'eyJ', '://', 'token ', 'bearer  '])
    looksLikeCredential(`${part.repeat(500_000 / part.length)}1b2`);
  // A quadratic rule would take minutes.
  expect(performance.now() - began).toBeLessThan(10_000);
});
