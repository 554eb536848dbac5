// Checks the files in deploy with the types of the programs that read them. Each line on standard output is one JSON
// object; errors go to standard error.
//
//	go run . kubernetes < MANIFESTS     decodes each document strictly: unknown and repeated fields are errors
//	go run . compose FILE               loads a compose file, validates it, and prints it with its variables replaced
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// The types that deploy/kubernetes uses.
var types = map[string]func() any{
	"v1/ConfigMap":                  func() any { return &corev1.ConfigMap{} },
	"v1/Namespace":                  func() any { return &corev1.Namespace{} },
	"v1/Secret":                     func() any { return &corev1.Secret{} },
	"v1/Service":                    func() any { return &corev1.Service{} },
	"apps/v1/Deployment":            func() any { return &appsv1.Deployment{} },
	"networking.k8s.io/v1/Ingress":  func() any { return &networkingv1.Ingress{} },
	"policy/v1/PodDisruptionBudget": func() any { return &policyv1.PodDisruptionBudget{} },
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "kubernetes" {
		return decodeManifests(os.Stdin)
	}
	if len(args) == 2 && args[0] == "compose" {
		return loadCompose(args[1])
	}
	return errors.New("usage: kubernetes < MANIFESTS, or compose FILE")
}

func decodeManifests(input io.Reader) error {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := decodeManifest(document); err != nil {
			return err
		}
	}
}

func decodeManifest(document []byte) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(document, &head); err != nil {
		return err
	}
	create, found := types[head.APIVersion+"/"+head.Kind]
	if !found {
		return fmt.Errorf("no type for %s %s; add it to main.go", head.APIVersion, head.Kind)
	}
	object := create()
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return fmt.Errorf("%s: %w", head.Kind, err)
	}
	return json.NewEncoder(os.Stdout).Encode(object)
}

func loadCompose(file string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithResolvedPaths(false))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	text, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}
