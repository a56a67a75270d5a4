// Command pulumi-resource-tempo is a provider for tests. Its one resource, tempo:Work, takes time, prints, fails, keeps a
// secret, and obeys Cancel or doesn't, as its inputs say. The file $TEMPO_JOURNAL gets a line for each call and signal,
// with the process that got it: the CLI starts several. $TEMPO_LOST and $TEMPO_CHANGED name a resource each that drifted.
package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/signal"
	"path"
	"sync"
	"syscall"
	"time"

	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

const version = "1.0.0"

const schema = `{
  "name": "tempo",
  "version": "` + version + `",
  "resources": {
    "tempo:index:Work": {
      "description": "Work that takes its time.",
      "inputProperties": {
        "seconds": {"type": "number", "description": "How long it takes to create or update."},
        "failAfter": {"type": "number", "description": "After how many seconds that fails."},
        "says": {"type": "string", "description": "What it prints as it begins."},
        "deaf": {"type": "boolean", "description": "Whether it goes on after a Cancel."}
      },
      "properties": {
        "token": {"type": "string", "secret": true, "description": "Its secret: token-of-NAME."}
      },
      "required": ["token"]
    }
  }
}`

// Pulumi's mark of a secret on the wire.
const (
	signature = "4dabf18193072939515e22adb298388d"
	isSecret  = "1b47061264138c4ac30d75fd1eb44270"
)

type provider struct {
	rpc.UnimplementedResourceProviderServer
	engine    rpc.EngineClient
	cancelled chan struct{}
	once      sync.Once
}

func journal(line string) {
	if file, err := os.OpenFile(os.Getenv("TEMPO_JOURNAL"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		defer file.Close()
		fmt.Fprintln(file, os.Getpid(), line)
	}
}

// work does what a resource's inputs say, and returns its outputs.
func (p *provider) work(ctx context.Context, urn, name string, inputs *structpb.Struct, preview bool) (*structpb.Struct, error) {
	fields := inputs.GetFields()
	seconds := func(key string) time.Duration {
		return time.Duration(fields[key].GetNumberValue() * float64(time.Second))
	}
	outputs := proto.Clone(inputs).(*structpb.Struct)
	if outputs.Fields == nil {
		outputs.Fields = map[string]*structpb.Value{}
	}
	outputs.Fields["token"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		signature: structpb.NewStringValue(isSecret),
		"value":   structpb.NewStringValue("token-of-" + name),
	}})
	if preview {
		return outputs, nil
	}
	journal("begin " + name)
	if said := fields["says"].GetStringValue(); said != "" {
		message := &rpc.LogRequest{Severity: rpc.LogSeverity_INFO, Message: said, Urn: urn}
		if _, err := p.engine.Log(ctx, message); err != nil {
			return nil, err
		}
	}
	var failed <-chan time.Time
	if at := seconds("failAfter"); at > 0 {
		failed = time.After(at)
	}
	cancelled := p.cancelled
	if fields["deaf"].GetBoolValue() {
		cancelled = nil
	}
	select {
	case <-time.After(seconds("seconds")):
		journal("end " + name)
		return outputs, nil
	case <-failed:
		journal("fail " + name)
		return nil, fmt.Errorf("%s failed, as its inputs say", name)
	case <-cancelled:
		journal("give up " + name)
		return nil, fmt.Errorf("%s was cancelled", name)
	}
}

func (p *provider) Create(ctx context.Context, in *rpc.CreateRequest) (*rpc.CreateResponse, error) {
	outputs, err := p.work(ctx, in.Urn, in.Name, in.Properties, in.Preview)
	if err != nil {
		return nil, err
	}
	id := in.Name
	if in.Preview {
		id = ""
	}
	return &rpc.CreateResponse{Id: id, Properties: outputs}, nil
}

func (p *provider) Update(ctx context.Context, in *rpc.UpdateRequest) (*rpc.UpdateResponse, error) {
	outputs, err := p.work(ctx, in.Urn, in.Name, in.News, in.Preview)
	return &rpc.UpdateResponse{Properties: outputs}, err
}

func (p *provider) Read(_ context.Context, in *rpc.ReadRequest) (*rpc.ReadResponse, error) {
	switch in.Id {
	case os.Getenv("TEMPO_LOST"):
		return &rpc.ReadResponse{}, nil
	case os.Getenv("TEMPO_CHANGED"):
		changed := func(was *structpb.Struct) *structpb.Struct {
			fields := map[string]*structpb.Value{}
			maps.Copy(fields, was.GetFields())
			fields["says"] = structpb.NewStringValue("changed by hand")
			return &structpb.Struct{Fields: fields}
		}
		return &rpc.ReadResponse{Id: in.Id, Properties: changed(in.Properties), Inputs: changed(in.Inputs)}, nil
	}
	return &rpc.ReadResponse{Id: in.Id, Properties: in.Properties, Inputs: in.Inputs}, nil
}

func (p *provider) Delete(_ context.Context, in *rpc.DeleteRequest) (*emptypb.Empty, error) {
	journal("delete " + in.Name)
	return &emptypb.Empty{}, nil
}

func (p *provider) Diff(_ context.Context, in *rpc.DiffRequest) (*rpc.DiffResponse, error) {
	if proto.Equal(in.OldInputs, in.News) {
		return &rpc.DiffResponse{Changes: rpc.DiffResponse_DIFF_NONE}, nil
	}
	return &rpc.DiffResponse{Changes: rpc.DiffResponse_DIFF_SOME}, nil
}

func (p *provider) Check(_ context.Context, in *rpc.CheckRequest) (*rpc.CheckResponse, error) {
	return &rpc.CheckResponse{Inputs: in.News}, nil
}

func (p *provider) CheckConfig(_ context.Context, in *rpc.CheckRequest) (*rpc.CheckResponse, error) {
	return &rpc.CheckResponse{Inputs: in.News}, nil
}

func (p *provider) DiffConfig(context.Context, *rpc.DiffRequest) (*rpc.DiffResponse, error) {
	return &rpc.DiffResponse{Changes: rpc.DiffResponse_DIFF_NONE}, nil
}

func (p *provider) Configure(context.Context, *rpc.ConfigureRequest) (*rpc.ConfigureResponse, error) {
	return &rpc.ConfigureResponse{AcceptSecrets: true, SupportsPreview: true}, nil
}

func (p *provider) GetSchema(context.Context, *rpc.GetSchemaRequest) (*rpc.GetSchemaResponse, error) {
	return &rpc.GetSchemaResponse{Schema: schema}, nil
}

func (p *provider) GetPluginInfo(context.Context, *emptypb.Empty) (*rpc.PluginInfo, error) {
	return &rpc.PluginInfo{Version: version}, nil
}

func (p *provider) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	journal("Cancel")
	p.once.Do(func() { close(p.cancelled) })
	return &emptypb.Empty{}, nil
}

func run() error {
	// The argument is the engine's address; without it, as for the schema alone, nothing can be printed.
	address := "127.0.0.1:0"
	if len(os.Args) > 1 {
		address = os.Args[len(os.Args)-1]
	}
	engine, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	rpc.RegisterResourceProviderServer(server, &provider{engine: rpc.NewEngineClient(engine), cancelled: make(chan struct{})})
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		// The CLI itself ends its providers by SIGINT.
		journal((<-signals).String())
		server.Stop()
	}()
	// A killed CLI ends nothing.
	go func() {
		for parent := os.Getppid(); os.Getppid() == parent; {
			time.Sleep(time.Second)
		}
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, path.Base(os.Args[0])+":", status.Convert(err).Message())
		os.Exit(1)
	}
}
