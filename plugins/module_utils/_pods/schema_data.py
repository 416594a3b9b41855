# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pod template may hold. Made by dev/pod_schema.py from the API server's own description; not by hand.

A type a line, with its fields: `name` is text, `name!` must be given, `name:int32` has another type, `A|B` is one of
these words, `[T]` a list, `[T/key]` a list in which no two items have the same key, `{T}` a map.
"""

from __future__ import annotations

SCHEMA = """
AWSElasticBlockStoreVolumeSource fsType partition:int32 readOnly:bool volumeID!
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile localhostProfile type!:Localhost|RuntimeDefault|Unconfined
AzureDiskVolumeSource cachingMode:None|ReadOnly|ReadWrite diskName! diskURI! fsType kind:Dedicated|Managed|Shared
  readOnly:bool
AzureFileVolumeSource readOnly:bool secretName! shareName!
CSIVolumeSource driver! fsType nodePublishSecretRef:LocalObjectReference readOnly:bool volumeAttributes:{str}
Capabilities add:[str] drop:[str]
CinderVolumeSource fsType readOnly:bool secretRef:LocalObjectReference volumeID!
ClusterTrustBundleProjection labelSelector:LabelSelector name optional:bool path! signerName
ConfigMapEnvSource name optional:bool
ConfigMapKeySelector key! name optional:bool
ConfigMapProjection items:[KeyToPath] name optional:bool
ConfigMapVolumeSource defaultMode:int32 items:[KeyToPath] name optional:bool
Container args:[str] command:[str] env:[EnvVar/name] envFrom:[EnvFromSource] image
  imagePullPolicy:Always|IfNotPresent|Never lifecycle:Lifecycle livenessProbe:Probe name!
  ports:[ContainerPort/containerPort,protocol] readinessProbe:Probe resizePolicy:[ContainerResizePolicy]
  resources:ResourceRequirements restartPolicy:Always|Never|OnFailure securityContext:SecurityContext startupProbe:Probe
  stdin:bool stdinOnce:bool terminationMessagePath terminationMessagePolicy:FallbackToLogsOnError|File tty:bool
  volumeDevices:[VolumeDevice/devicePath] volumeMounts:[VolumeMount/mountPath] workingDir
ContainerPort containerPort!:int32 hostIP hostPort:int32 name protocol:SCTP|TCP|UDP
ContainerResizePolicy resourceName!:cpu|memory restartPolicy!:NotRequired|RestartContainer
DownwardAPIProjection items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector mode:int32 path! resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource defaultMode:int32 items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource medium:|Memory|HugePages|HugePages-2Mi|HugePages-1Gi sizeLimit:quantity
EnvFromSource configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource
EnvVar name! value valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
ExecAction command:[str]
FCVolumeSource fsType lun:int32 readOnly:bool targetWWNs:[str] wwids:[str]
FileKeySelector key! optional:bool path! volumeName!
FlexVolumeSource driver! fsType options:{str} readOnly:bool secretRef:LocalObjectReference
GCEPersistentDiskVolumeSource fsType partition:int32 pdName! readOnly:bool
GRPCAction port!:int32 service
HTTPGetAction host httpHeaders:[HTTPHeader] path port!:intstr scheme:HTTP|HTTPS
HTTPHeader name! value!
HostAlias hostnames:[str] ip!
HostPathVolumeSource path! type:|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
ISCSIVolumeSource chapAuthDiscovery:bool chapAuthSession:bool fsType initiatorName iqn! iscsiInterface lun!:int32
  portals:[str] readOnly:bool secretRef:LocalObjectReference targetPortal!
ImageVolumeSource pullPolicy:Always|IfNotPresent|Never reference
KeyToPath key! mode:int32 path!
LabelSelector matchExpressions:[LabelSelectorRequirement] matchLabels:{str}
LabelSelectorRequirement key! operator!:In|NotIn|Exists|DoesNotExist values:[str]
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:SIGABRT| SIGALRM| SIGBUS| SIGCHLD| SIGCLD|
  SIGCONT| SIGFPE| SIGHUP| SIGILL| SIGINT| SIGIO| SIGIOT| SIGKILL| SIGPIPE| SIGPOLL| SIGPROF| SIGPWR| SIGQUIT| SIGRTMAX|
  SIGRTMAX-1| SIGRTMAX-10| SIGRTMAX-11| SIGRTMAX-12| SIGRTMAX-13| SIGRTMAX-14| SIGRTMAX-2| SIGRTMAX-3| SIGRTMAX-4|
  SIGRTMAX-5| SIGRTMAX-6| SIGRTMAX-7| SIGRTMAX-8| SIGRTMAX-9| SIGRTMIN| SIGRTMIN+1| SIGRTMIN+10| SIGRTMIN+11|
  SIGRTMIN+12| SIGRTMIN+13| SIGRTMIN+14| SIGRTMIN+15| SIGRTMIN+2| SIGRTMIN+3| SIGRTMIN+4| SIGRTMIN+5| SIGRTMIN+6|
  SIGRTMIN+7| SIGRTMIN+8| SIGRTMIN+9| SIGSEGV| SIGSTKFLT| SIGSTOP| SIGSYS| SIGTERM| SIGTRAP| SIGTSTP| SIGTTIN| SIGTTOU|
  SIGURG| SIGUSR1| SIGUSR2| SIGVTALRM| SIGWINCH| SIGXCPU| SIGXFSZ
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LocalObjectReference name
NFSVolumeSource path! readOnly:bool server!
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms!:[NodeSelectorTerm]
NodeSelectorRequirement key! operator!:DoesNotExist|Exists|Gt|In|Lt|NotIn values:[str]
NodeSelectorTerm matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
ObjectFieldSelector apiVersion fieldPath!
ObjectMeta annotations:{str} labels:{str} name namespace
PersistentVolumeClaimSpec accessModes:[ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod]
  dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements
  selector:LabelSelector storageClassName volumeAttributesClassName volumeMode:Block|Filesystem volumeName
PersistentVolumeClaimTemplate metadata:ObjectMeta spec!:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName! readOnly:bool
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[str] mismatchLabelKeys:[str] namespaceSelector:LabelSelector
  namespaces:[str] topologyKey!
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodCertificateProjection certificateChainPath credentialBundlePath keyPath
  keyType!:RSA3072|RSA4096|ECDSAP256|ECDSAP384|ECDSAP521|ED25519 maxExpirationSeconds:int32 signerName!
  userAnnotations:{str}
PodDNSConfig nameservers:[str] options:[PodDNSConfigOption] searches:[str]
PodDNSConfigOption name value
PodOS name!:linux
PodReadinessGate conditionType!
PodResourceClaim name! resourceClaimName resourceClaimTemplateName
PodSchedulingGate name!
PodSchedulingGroup podGroupName
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:int64 fsGroupChangePolicy:Always|OnRootMismatch
  runAsGroup:int64 runAsNonRoot:bool runAsUser:int64 seLinuxChangePolicy:Recursive|MountOption
  seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:[int64]
  supplementalGroupsPolicy:Merge|Strict sysctls:[Sysctl]
PodSpec activeDeadlineSeconds:int64 affinity:Affinity automountServiceAccountToken:bool containers!:[Container/name]
  dnsConfig:PodDNSConfig dnsPolicy:ClusterFirst|ClusterFirstWithHostNet|Default|None enableServiceLinks:bool
  hostAliases:[HostAlias/ip] hostIPC:bool hostNetwork:bool hostPID:bool hostUsers:bool hostname hostnameOverride
  imagePullSecrets:[LocalObjectReference/name] initContainers:[Container/name] nodeName nodeSelector:{str} os:PodOS
  overhead:{quantity} preemptionPolicy:Never|PreemptLowerPriority priority:int32 priorityClassName
  readinessGates:[PodReadinessGate] resourceClaims:[PodResourceClaim/name] resources:ResourceRequirements
  restartPolicy:Always|Never|OnFailure runtimeClassName schedulerName schedulingGates:[PodSchedulingGate/name]
  schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext serviceAccount serviceAccountName
  setHostnameAsFQDN:bool shareProcessNamespace:bool subdomain terminationGracePeriodSeconds:int64
  tolerations:[Toleration] topologySpreadConstraints:[TopologySpreadConstraint/topologyKey,whenUnsatisfiable]
  volumes:[Volume/name]
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PortworxVolumeSource fsType readOnly:bool volumeID!
PreferredSchedulingTerm preference!:NodeSelectorTerm weight!:int32
Probe exec:ExecAction failureThreshold:int32 grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:int32
  periodSeconds:int32 successThreshold:int32 tcpSocket:TCPSocketAction terminationGracePeriodSeconds:int64
  timeoutSeconds:int32
ProjectedVolumeSource defaultMode:int32 sources:[VolumeProjection]
ResourceClaim name! request
ResourceFieldSelector containerName divisor:quantity resource!
ResourceRequirements claims:[ResourceClaim/name] limits:{quantity} requests:{quantity}
SELinuxOptions level role type user
SeccompProfile localhostProfile type!:Localhost|RuntimeDefault|Unconfined
SecretEnvSource name optional:bool
SecretKeySelector key! name optional:bool
SecretProjection items:[KeyToPath] name optional:bool
SecretVolumeSource defaultMode:int32 items:[KeyToPath] optional:bool secretName
SecurityContext allowPrivilegeEscalation:bool appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:bool
  procMount:Default|Unmasked readOnlyRootFilesystem:bool runAsGroup:int64 runAsNonRoot:bool runAsUser:int64
  seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile
ServiceAccountTokenProjection audience expirationSeconds:int64 path!
SleepAction seconds!:int64
Sysctl name! value!
TCPSocketAction host port!:intstr
Toleration effect:NoExecute|NoSchedule|PreferNoSchedule key operator:Equal|Exists tolerationSeconds:int64 value
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:[str] maxSkew!:int32 minDomains:int32
  nodeAffinityPolicy:Honor|Ignore nodeTaintsPolicy:Honor|Ignore topologyKey!
  whenUnsatisfiable!:DoNotSchedule|ScheduleAnyway
TypedLocalObjectReference apiGroup kind! name!
TypedObjectReference apiGroup kind! name! namespace
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource
  downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource
  flexVolume:FlexVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource hostPath:HostPathVolumeSource
  image:ImageVolumeSource iscsi:ISCSIVolumeSource name! nfs:NFSVolumeSource
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource portworxVolume:PortworxVolumeSource
  projected:ProjectedVolumeSource secret:SecretVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice devicePath! name!
VolumeMount mountPath! mountPropagation:Bidirectional|HostToContainer|None name! readOnly:bool
  recursiveReadOnly:Disabled|IfPossible|Enabled subPath subPathExpr
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection
  serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements limits:{quantity} requests:{quantity}
VsphereVirtualDiskVolumeSource fsType storagePolicyID storagePolicyName volumePath!
WeightedPodAffinityTerm podAffinityTerm!:PodAffinityTerm weight!:int32
"""
