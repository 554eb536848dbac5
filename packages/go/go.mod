module github.com/lockkeeper/lockkeeper/packages/go

go 1.22
