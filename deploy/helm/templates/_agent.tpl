{{/* The labels of every object. */}}
{{- define "agent.labels" -}}
app.kubernetes.io/name: pulumi-runner-agent
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: pulumi-runner
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The labels that select this release's agents. */}}
{{- define "agent.selector" -}}
app.kubernetes.io/name: pulumi-runner-agent
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: agent
{{- end }}

{{- define "agent.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "agent.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "agent.jobsNamespace" -}}
{{- .Values.jobs.namespace | default .Release.Namespace -}}
{{- end }}

{{/* pulumi-workflow-agent.yaml: keys from the chart's values, overridden by the user's settings. */}}
{{- define "agent.configuration" -}}
{{- $own := dict "deploy_target" "kubernetes" "service_url" "https://api.pulumi.com" "http_server_port" (.Values.service.port | int) "run_directory" "/var/lib/pulumi-runner" "namespace" (include "agent.jobsNamespace" .) "service_account" .Values.jobs.serviceAccount.name -}}
{{- with .Values.organization }}{{ $_ := set $own "organization_name" . }}{{ end -}}
{{- with .Values.runnerPoolId }}{{ $_ := set $own "runner_pool_id" . }}{{ end -}}
{{- with .Values.hooks.before }}{{ $_ := set $own "hook_before_job" "/etc/pulumi-hooks/before" }}{{ end -}}
{{- with .Values.hooks.after }}{{ $_ := set $own "hook_after_job" "/etc/pulumi-hooks/after" }}{{ end -}}
{{- if .Values.oidc.enabled }}{{ $_ := set $own "oidc_token_file" "/var/run/secrets/pulumi/token" }}{{ end -}}
{{- if eq .Values.kind "CronJob" -}}
{{- $_ := set $own "trigger" (required "trigger is needed: which stacks are started, such as acme/*/prod" .Values.trigger) -}}
{{- $_ := set $own "operation" .Values.operation -}}
{{- $_ := set $own "max_wait" (.Values.maxWait | default "2m") -}}
{{- else if ne .Values.kind "Deployment" -}}
{{- $_ := set $own "single_run" true -}}
{{- $_ := set $own "max_wait" (.Values.maxWait | default "5m") -}}
{{- end -}}
{{- toYaml (merge (deepCopy .Values.settings) $own) -}}
{{- end }}

{{/* The template of the agent's pod. */}}
{{- define "agent.pod" -}}
metadata:
  labels:
    {{- include "agent.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    # Replaces the pod when the configuration changes.
    pulumi-runner/configuration: {{ printf "%s%s" (include "agent.configuration" .) (.Values.hooks | toYaml) | sha256sum | trunc 16 | quote }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  {{- if ne .Values.kind "Deployment" }}
  restartPolicy: Never
  {{- end }}
  serviceAccountName: {{ .Values.serviceAccount.name }}
  # On SIGTERM, an agent claims nothing more and finishes its job. If that takes longer than this, it is killed.
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: agent
      image: {{ include "agent.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      env:
        {{- if not .Values.oidc.enabled }}
        - name: PULUMI_AGENT_TOKEN
          valueFrom: { secretKeyRef: { name: {{ .Values.secretName }}, key: token } }
        {{- if eq .Values.kind "CronJob" }}
        - name: PULUMI_AGENT_ACCESS_TOKEN
          valueFrom: { secretKeyRef: { name: {{ .Values.secretName }}, key: access-token } }
        {{- end }}
        {{- end }}
        {{- with .Values.env }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- with .Values.envFrom }}
      envFrom: {{ toYaml . | nindent 8 }}
      {{- end }}
      resources: {{ toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: configuration, mountPath: /etc/pulumi-workflow-agent.yaml, subPath: pulumi-workflow-agent.yaml, readOnly: true }
        {{- if or .Values.hooks.before .Values.hooks.after }}
        - { name: hooks, mountPath: /etc/pulumi-hooks, readOnly: true }
        {{- end }}
        - { name: runs, mountPath: /var/lib/pulumi-runner }
        - { name: scratch, mountPath: /tmp }
        {{- if .Values.oidc.enabled }}
        - { name: identity, mountPath: /var/run/secrets/pulumi, readOnly: true }
        {{- end }}
        {{- with .Values.volumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- if eq .Values.kind "Deployment" }}
      ports:
        - { name: http, containerPort: {{ .Values.service.port }} }
      # Whether the process works. An outage of Pulumi Cloud or of the API server affects only readiness, so it restarts no agent.
      livenessProbe:
        httpGet: { path: /livez, port: http }
        timeoutSeconds: 5
        periodSeconds: 30
        failureThreshold: 4
      readinessProbe:
        httpGet: { path: /healthz, port: http }
        timeoutSeconds: 5
        periodSeconds: 10
      {{- end }}
  volumes:
    - name: configuration
      configMap: { name: {{ include "agent.name" . }} }
    {{- if or .Values.hooks.before .Values.hooks.after }}
    - name: hooks
      configMap: { name: {{ include "agent.name" . }}-hooks, defaultMode: 0755 }
    {{- end }}
    - name: runs
      emptyDir: {}
    - name: scratch
      emptyDir: {}
    {{- if .Values.oidc.enabled }}
    - name: identity
      projected:
        sources:
          - serviceAccountToken:
              audience: {{ .Values.oidc.audience | default (printf "urn:pulumi:org:%s" (required "organization is needed with oidc" .Values.organization)) | quote }}
              expirationSeconds: {{ .Values.oidc.expirationSeconds }}
              path: token
    {{- end }}
    {{- with .Values.volumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end }}
