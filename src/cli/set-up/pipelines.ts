import { type Answers, ownerOf } from './answers.ts';

/*
 * The pipelines of CI systems other than GitHub. Those of examples/ci have the same text; a test
 * keeps the two in sync.
 */

/** The agent's package while no version is released. */
export const UNRELEASED_PACKAGE = '@org/pulumi-runner-agent@<version>';

/** Text as a YAML value: quoted if YAML, 1.1 or 1.2, would read it as something else than text. */
export function scalar(text: string): string {
  return /^[\d._e+-]+$|^[+-]?0[box][\da-f_]+$|^[+-]?\.(inf|nan)$|^(true|false|null|yes|no|on|off|y|n|~)$/i.test(
    text,
  )
    ? `'${text}'`
    : text;
}

/** Ends a comment on the package, if its name is still a placeholder. */
function toReplace(agentPackage: string): string {
  return agentPackage === UNRELEASED_PACKAGE ? '; replace org with a scope that you control' : '';
}

export function gitlabText({ organization, pool, agentPackage }: Answers): string {
  return `stages: [deploy, report]

pulumi-deployment:
  stage: deploy
  tags: [private-network]
  id_tokens:
    PULUMI_ID_TOKEN:
      aud: urn:pulumi:org:${organization}
  variables:
    PULUMI_AGENT_ORGANIZATION_NAME: ${scalar(organization)}
    PULUMI_AGENT_RUNNER_POOL_ID: ${scalar(pool)}
  script:
    # The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
    - npx --yes ${agentPackage} ci
  after_script:
    - npx --yes ${agentPackage} finish
  artifacts:
    when: always
    expire_in: 30 days
    paths: [pulumi-runner/]
    reports:
      dotenv: pulumi-runner.env
      annotations: pulumi-runner-links.json
  timeout: 90 minutes # the wait, the deployment, its reports
  resource_group: pulumi-deployments # one run at a time

outcome:
  stage: report
  tags: [private-network]
  needs: [pulumi-deployment]
  script:
    - echo "The deployment $PULUMI_RUNNER_DEPLOYMENT_ID of $PULUMI_RUNNER_STACK ended as $PULUMI_RUNNER_OUTCOME."
`;
}

export function buildkiteText({ organization, pool, agentPackage }: Answers): string {
  return `steps:
  - label: Pulumi deployment
    key: pulumi
    agents:
      queue: private-network
    env:
      PULUMI_AGENT_ORGANIZATION_NAME: ${scalar(organization)}
      PULUMI_AGENT_RUNNER_POOL_ID: ${scalar(pool)}
      PULUMI_AGENT_CANCEL_GRACE_PERIOD: 40s # of these 90 seconds
    command:
      # The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
      - npm install --no-save --prefix .pulumi-runner ${agentPackage}
      # Not with npx, which might not pass a cancel on.
      - exec .pulumi-runner/node_modules/.bin/pulumi-runner-agent ci
    timeout_in_minutes: 90 # the wait, the deployment, its reports
    concurrency: 1 # one run at a time
    concurrency_group: pulumi-deployments
`;
}

export function azurePipelinesText({ organization, pool, agentPackage }: Answers): string {
  return `trigger: none

pool:
  name: private-network

variables:
  PULUMI_AGENT_ORGANIZATION_NAME: ${scalar(organization)}
  PULUMI_AGENT_RUNNER_POOL_ID: ${scalar(pool)}

jobs:
  - job: pulumi
    displayName: Pulumi deployment
    timeoutInMinutes: 90 # the wait, the deployment, its reports
    cancelTimeoutInMinutes: 5
    steps:
      # The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
      - bash: npm install --no-save --prefix "$AGENT_TEMPDIRECTORY/runner" ${agentPackage}
        displayName: Install the agent
      # exec, as Bash tasks pass a cancel to bash alone; not npx, which might not pass it on.
      - bash: exec "$AGENT_TEMPDIRECTORY/runner/node_modules/.bin/pulumi-runner-agent" ci
        name: deployment
        displayName: Serve one deployment
        env:
          SYSTEM_ACCESSTOKEN: $(System.AccessToken)
      - bash: exec "$AGENT_TEMPDIRECTORY/runner/node_modules/.bin/pulumi-runner-agent" finish
        displayName: Finish the deployment
        condition: always()
        env:
          SYSTEM_ACCESSTOKEN: $(System.AccessToken)
      - bash: echo "The deployment of $STACK ended as $OUTCOME."
        displayName: Outcome
        condition: always()
        env:
          STACK: $(deployment.stack)
          OUTCOME: $(deployment.outcome)
`;
}

export function jenkinsText({ organization, pool, agentPackage }: Answers): string {
  return `pipeline {
    agent { label 'private-network' }
    options {
        disableConcurrentBuilds()
        timeout(time: 90, unit: 'MINUTES')
    }
    environment {
        PULUMI_AGENT_ORGANIZATION_NAME = '${organization}'
        PULUMI_AGENT_RUNNER_POOL_ID = '${pool}'
    }
    stages {
        stage('Pulumi deployment') {
            steps {
                // The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
                sh 'npm install --no-save --prefix .pulumi-runner ${agentPackage}'
                withCredentials([string(credentialsId: 'pulumi-id-token', variable: 'PULUMI_ID_TOKEN')]) {
                    sh 'exec .pulumi-runner/node_modules/.bin/pulumi-runner-agent ci --identity-token-env PULUMI_ID_TOKEN'
                }
            }
        }
    }
    post {
        always {
            sh '.pulumi-runner/node_modules/.bin/pulumi-runner-agent finish'
            archiveArtifacts artifacts: 'pulumi-runner/**', allowEmptyArchive: true
        }
    }
}
`;
}

export function circleciText({ organization, pool, repository, agentPackage }: Answers): string {
  return `version: 2.1

jobs:
  pulumi-deployment:
    machine: true
    resource_class: ${ownerOf(repository)}/private-network
    environment:
      PULUMI_AGENT_ORGANIZATION_NAME: ${scalar(organization)}
      PULUMI_AGENT_RUNNER_POOL_ID: ${scalar(pool)}
    steps:
      # The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
      - run: npm install --no-save --prefix .pulumi-runner ${agentPackage}
      - run:
          name: Serve one deployment
          no_output_timeout: 30m
          command: |
            exec .pulumi-runner/node_modules/.bin/pulumi-runner-agent ci \\
              --identity-token-command "circleci run oidc get --claims '{\\"aud\\": \\"urn:pulumi:org:${organization}\\"}'"
      - run:
          name: Finish the deployment
          when: always
          command: .pulumi-runner/node_modules/.bin/pulumi-runner-agent finish
      - store_artifacts:
          path: pulumi-runner

workflows:
  deployments:
    jobs:
      - pulumi-deployment:
          context: pulumi
`;
}

export function bitbucketText({ organization, pool, agentPackage }: Answers): string {
  return `pipelines:
  custom:
    pulumi-deployment:
      - step:
          name: Pulumi deployment
          deployment: production
          runs-on: [self.hosted, linux.shell, private-network]
          oidc: true
          max-time: 90 # minutes: the wait, the deployment, its reports
          script:
            - export PULUMI_AGENT_ORGANIZATION_NAME=${organization} PULUMI_AGENT_RUNNER_POOL_ID='${pool}'
            # The owner of this package's scope gets the job's ID token${toReplace(agentPackage)}
            - npx --yes ${agentPackage} ci --identity-token-env BITBUCKET_STEP_OIDC_TOKEN
          after-script:
            - npx --yes ${agentPackage} finish
          artifacts:
            - pulumi-runner/**
`;
}
