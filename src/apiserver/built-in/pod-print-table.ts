// Fields of the internal pod types: their printed names and their paths in an object. The data comes from the oracle
// `printed-types`, which explains it (oracles/printed_types.go); an oracle test compares them.

/** One struct per line; continuation lines are indented. */
export const podPrintTable = `
PodTemplateSpec ?name=metadata.name:s ?generateName=metadata.generateName:s ?namespace=metadata.namespace:s
  ?selfLink=metadata.selfLink:s ?uid=metadata.uid:s ?resourceVersion=metadata.resourceVersion:s
  ?generation=metadata.generation:i ~creationTimestamp=metadata.creationTimestamp:t
  ?deletionTimestamp=metadata.deletionTimestamp:*t ?deletionGracePeriodSeconds=metadata.deletionGracePeriodSeconds:*i
  ?labels=metadata.labels:{}s ?annotations=metadata.annotations:{}s
  ?ownerReferences=metadata.ownerReferences:[]OwnerReference ?finalizers=metadata.finalizers:[]s
  ?managedFields=metadata.managedFields:[]ManagedFieldsEntry Spec:PodSpec
OwnerReference apiVersion:s kind:s name:s uid:s ?controller:*b ?blockOwnerDeletion:*b
ManagedFieldsEntry ?manager:s ?operation:s ?apiVersion:s ?time:*t ?fieldsType:s ?fieldsV1:*j ?subresource:s
PodSpec Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer
  RestartPolicy:s TerminationGracePeriodSeconds:*i ActiveDeadlineSeconds:*i DNSPolicy=dnsPolicy:s NodeSelector:{}s
  ServiceAccountName:s AutomountServiceAccountToken:*b NodeName:s SecurityContext:*PodSecurityContext
  ImagePullSecrets:[]LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:*b Affinity:*Affinity
  SchedulerName:s Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:s Priority:*i PreemptionPolicy:*s
  DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*s Overhead:{}q
  EnableServiceLinks:*b TopologySpreadConstraints:[]TopologySpreadConstraint OS=os:*PodOS
  SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements
  HostnameOverride:*s SchedulingGroup:*PodSchedulingGroup
Volume Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
  GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource
  AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource
  Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource
  PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource
  FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource
  Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource
  AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource
  AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource
  Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource
  StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource
  Image:*ImageVolumeSource
HostPathVolumeSource Path:s Type:*s
EmptyDirVolumeSource Medium:s SizeLimit:*q
GCEPersistentDiskVolumeSource PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b
AWSElasticBlockStoreVolumeSource VolumeID:s FSType=fsType:s Partition:i ReadOnly:b
GitRepoVolumeSource Repository:s Revision:s Directory:s
SecretVolumeSource SecretName:s Items:[]KeyToPath DefaultMode:*i Optional:*b
KeyToPath Key:s Path:s Mode:*i
NFSVolumeSource Server:s Path:s ReadOnly:b
ISCSIVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b
  Portals:[]s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference
  InitiatorName:*s
LocalObjectReference Name:s
GlusterfsVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b
PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
RBDVolumeSource CephMonitors=monitors:[]s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s
  SecretRef:*LocalObjectReference ReadOnly:b
QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
FlexVolumeSource Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options:{}s
CinderVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CephFSVolumeSource Monitors:[]s Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b
FlockerVolumeSource DatasetName:s DatasetUUID:s
DownwardAPIVolumeSource Items:[]DownwardAPIVolumeFile DefaultMode:*i
DownwardAPIVolumeFile Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*i
ObjectFieldSelector APIVersion=apiVersion:s FieldPath:s
ResourceFieldSelector ContainerName:s Resource:s Divisor:q
FCVolumeSource TargetWWNs:[]s Lun:*i FSType=fsType:s ReadOnly:b WWIDs=wwids:[]s
AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
ConfigMapVolumeSource Name:s Items:[]KeyToPath DefaultMode:*i Optional:*b
VsphereVirtualDiskVolumeSource VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s
AzureDiskVolumeSource DiskName:s DataDiskURI=diskURI:s CachingMode:*s FSType=fsType:*s ReadOnly:*b Kind:*s
PhotonPersistentDiskVolumeSource PdID:s FSType=fsType:s
ProjectedVolumeSource Sources:[]VolumeProjection DefaultMode:*i
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
  ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection
  PodCertificate:*PodCertificateProjection
SecretProjection Name:s Items:[]KeyToPath Optional:*b
DownwardAPIProjection Items:[]DownwardAPIVolumeFile
ConfigMapProjection Name:s Items:[]KeyToPath Optional:*b
ServiceAccountTokenProjection Audience:s ExpirationSeconds:i Path:s
ClusterTrustBundleProjection Name:*s SignerName:*s LabelSelector:*LabelSelector Optional:*b Path:s
LabelSelector ?matchLabels:{}s ?matchExpressions:[]LabelSelectorRequirement
LabelSelectorRequirement key:s operator:s ?values:[]s
PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds:*i CredentialBundlePath:s KeyPath:s
  CertificateChainPath:s UserAnnotations:{}s
PortworxVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b
ScaleIOVolumeSource Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s
  StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CSIVolumeSource Driver:s ReadOnly:*b FSType=fsType:*s VolumeAttributes:{}s NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate ?name=metadata.name:s ?generateName=metadata.generateName:s
  ?namespace=metadata.namespace:s ?selfLink=metadata.selfLink:s ?uid=metadata.uid:s
  ?resourceVersion=metadata.resourceVersion:s ?generation=metadata.generation:i
  ~creationTimestamp=metadata.creationTimestamp:t ?deletionTimestamp=metadata.deletionTimestamp:*t
  ?deletionGracePeriodSeconds=metadata.deletionGracePeriodSeconds:*i ?labels=metadata.labels:{}s
  ?annotations=metadata.annotations:{}s ?ownerReferences=metadata.ownerReferences:[]OwnerReference
  ?finalizers=metadata.finalizers:[]s ?managedFields=metadata.managedFields:[]ManagedFieldsEntry
  Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec AccessModes:[]s Selector:*LabelSelector Resources:VolumeResourceRequirements VolumeName:s
  StorageClassName:*s VolumeMode:*s DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference
  VolumeAttributesClassName:*s
VolumeResourceRequirements Limits:{}q Requests:{}q
TypedLocalObjectReference APIGroup=apiGroup:*s Kind:s Name:s
TypedObjectReference APIGroup=apiGroup:*s Kind:s Name:s Namespace:*s
ImageVolumeSource Reference:s PullPolicy:s
Container Name:s Image:s Command:[]s Args:[]s WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar
  Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*s
  RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice
  LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s
  TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
ContainerPort Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s
EnvFromSource Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
ConfigMapEnvSource Name:s Optional:*b
SecretEnvSource Name:s Optional:*b
EnvVar Name:s Value:s ValueFrom:*EnvVarSource
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
  ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
ConfigMapKeySelector Name:s Key:s Optional:*b
SecretKeySelector Name:s Key:s Optional:*b
FileKeySelector VolumeName:s Path:s Key:s Optional:*b
ResourceRequirements Limits:{}q Requests:{}q Claims:[]ResourceClaim
ResourceClaim Name:s Request:s
ContainerResizePolicy ResourceName:s RestartPolicy:s
ContainerRestartRule Action:s ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes Operator:s Values:[]i
VolumeMount Name:s ReadOnly:b RecursiveReadOnly:*s MountPath:s SubPath:s MountPropagation:*s SubPathExpr:s
VolumeDevice Name:s DevicePath:s
Probe Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction
  InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i
  TerminationGracePeriodSeconds:*i
ExecAction Command:[]s
HTTPGetAction Path:s Port:p Host:s Scheme:s HTTPHeaders=httpHeaders:[]HTTPHeader
HTTPHeader Name:s Value:s
TCPSocketAction Port:p Host:s
GRPCAction Port:i Service:*s
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*s
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction
  Sleep:*SleepAction
SleepAction Seconds:i
SecurityContext Capabilities:*Capabilities Privileged:*b SELinuxOptions=seLinuxOptions:*SELinuxOptions
  WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b ReadOnlyRootFilesystem:*b
  AllowPrivilegeEscalation:*b ProcMount:*s SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
Capabilities Add:[]s Drop:[]s
SELinuxOptions User:s Role:s Type:s Level:s
WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*s
  GMSACredentialSpec=gmsaCredentialSpec:*s RunAsUserName:*s HostProcess:*b
SeccompProfile Type:s LocalhostProfile:*s
AppArmorProfile Type:s LocalhostProfile:*s
EphemeralContainer Name:s Image:s Command:[]s Args:[]s WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource
  Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*s
  RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice
  LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s
  TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
  TargetContainerName:s
PodSecurityContext HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:*b HostUsers:*b
  SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i
  RunAsGroup:*i RunAsNonRoot:*b SupplementalGroups:[]i SupplementalGroupsPolicy:*s FSGroup=fsGroup:*i
  FSGroupChangePolicy=fsGroupChangePolicy:*s Sysctls:[]Sysctl SeccompProfile:*SeccompProfile
  AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*s
Sysctl Name:s Value:s
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorTerm MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSelectorRequirement Key:s Operator:s Values:[]s
PreferredSchedulingTerm Weight:i Preference:NodeSelectorTerm
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm LabelSelector:*LabelSelector Namespaces:[]s TopologyKey:s NamespaceSelector:*LabelSelector
  MatchLabelKeys:[]s MismatchLabelKeys:[]s
WeightedPodAffinityTerm Weight:i PodAffinityTerm:PodAffinityTerm
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
HostAlias IP=ip:s Hostnames:[]s
PodDNSConfig Nameservers:[]s Searches:[]s Options:[]PodDNSConfigOption
PodDNSConfigOption Name:s Value:*s
PodReadinessGate ConditionType:s
TopologySpreadConstraint MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:*LabelSelector MinDomains:*i
  NodeAffinityPolicy:*s NodeTaintsPolicy:*s MatchLabelKeys:[]s
PodOS Name:s
PodSchedulingGate Name:s
PodResourceClaim Name:s ResourceClaimName:*s ResourceClaimTemplateName:*s
PodSchedulingGroup PodGroupName:*s
`
